import CSQLite
import Synchronization

/// Calls back within `sqlite3_close`, when the files are closed already and `sqlite3_close` has not returned.
///
/// A function that is registered with each new connection has a destructor, which SQLite calls there.
final class ClosingHook: Sendable {
  private static let hooks = Mutex<[String: @Sendable () -> Void]>([:])
  private let path: String

  /// - Parameter action: Called on the thread that closes, for each connection to the file at `path` that
  ///   is opened from now on.
  init(_ path: String, _ action: @escaping @Sendable () -> Void) {
    self.path = path
    Self.hooks.withLock { $0[path] = action }
    sqlite3_auto_extension(Self.entry)
  }

  deinit { Self.hooks.withLock { $0[path] = nil } }

  private static var entry: @convention(c) () -> Void {
    let register:
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
      ) -> Int32 = { connection, _, _ in
        guard let name = sqlite3_db_filename(connection, "main") else { return SQLITE_OK }
        let path = String(cString: name)
        guard ClosingHook.hooks.withLock({ $0[path] != nil }) else { return SQLITE_OK }
        let context = Unmanaged.passRetained(path as AnyObject).toOpaque()
        return sqlite3_create_function_v2(
          connection, "closing_hook", 0, SQLITE_UTF8, context, { _, _, _ in }, nil, nil,
          { context in
            let path = Unmanaged<AnyObject>.fromOpaque(context!).takeRetainedValue() as! String
            ClosingHook.hooks.withLock { $0[path] }?()
          })
      }
    return unsafeBitCast(register, to: (@convention(c) () -> Void).self)
  }
}
