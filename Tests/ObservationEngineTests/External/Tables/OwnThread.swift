import Dispatch

/// Runs what takes long on a thread of its own, so that Swift's few threads are left to other
/// tests.
func onOwnThread<Output: Sendable>(
  _ body: @escaping @Sendable () throws -> Output
) async throws -> Output {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "livequery.test.long").async {
      continuation.resume(with: Result { try body() })
    }
  }
}
