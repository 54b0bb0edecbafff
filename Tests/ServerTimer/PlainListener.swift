import CPostgres
import Glibc
import TestSupport

/// The least that a client can do: it sleeps until triggers notify it of a commit, and asks for the value then.
///
/// It blocks the calling thread, and is used by one at a time.
final class PlainListener: @unchecked Sendable {
  private let connection: OpaquePointer

  init(_ address: String) throws {
    if let reason = lq_pq_load() { throw Unexpected(String(cString: reason)) }
    let name = strdup("dbname")
    let value = strdup(address)
    defer {
      free(name)
      free(value)
    }
    let connection = [UnsafePointer(name), nil].withUnsafeBufferPointer { names in
      [UnsafePointer(value), nil].withUnsafeBufferPointer { values in
        lq_pq_connectParams(names.baseAddress, values.baseAddress, 1)
      }
    }
    guard let connection, lq_pq_status(connection) == Int32(LQ_CONNECTION_OK) else {
      throw Unexpected("there is no connection to \(address)")
    }
    self.connection = connection
    _ = try number(from: "LISTEN livequery")
  }

  deinit { lq_pq_finish(connection) }

  /// Waits for a commit, and returns the first value of a query after it.
  func next(_ sql: String) throws -> Int? {
    while !takeNotifications() { try awaitInput() }
    return try number(from: sql)
  }

  /// Takes all that are there, and returns whether there were any.
  private func takeNotifications() -> Bool {
    var wereAny = false
    while let notification = lq_pq_notifies(connection) {
      lq_pq_freemem(notification)
      wereAny = true
    }
    return wereAny
  }

  private func number(from sql: String) throws -> Int? {
    guard lq_pq_sendQuery(connection, sql) == 1 else { throw Unexpected("\(sql) wasn't sent") }
    var number: Int?
    while true {
      while lq_pq_isBusy(connection) != 0 { try awaitInput() }
      guard let result = lq_pq_getResult(connection) else { return number }
      if lq_pq_ntuples(result) > 0 { number = Int(String(cString: lq_pq_getvalue(result, 0, 0))) }
      lq_pq_clear(result)
    }
  }

  private func awaitInput() throws {
    _ = lq_pq_wait(lq_pq_socket(connection), -1, -1)
    guard lq_pq_consumeInput(connection) == 1 else { throw Unexpected("the server has gone") }
  }
}
