import Dispatch

/// Runs what blocks on a thread of its own, and awaits it.
///
/// Swift's tasks share their few threads with Dispatch's global queue: while tasks keep the processors busy, what waits
/// there doesn't begin. A queue of its own gets a thread immediately.
package func onOwnThread<Output: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () throws(Failure) -> Output
) async throws(Failure) -> Output {
  let result: Result<Output, Failure> = await withCheckedContinuation { continuation in
    DispatchQueue(label: "livequery.thread").async {
      do throws(Failure) {
        continuation.resume(returning: .success(try body()))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
  }
  return try result.get()
}
