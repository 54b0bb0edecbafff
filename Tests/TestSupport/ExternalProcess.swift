internal import Dispatch
internal import Glibc
internal import Synchronization

/// A process of `ExternalWriter`, which commits from outside of the engine.
///
/// Proof of `@unchecked`: the unfinished line is touched on `queue` alone.
package final class ExternalProcess: @unchecked Sendable {
  /// What SQLite told the other process.
  package struct Failure: Error, CustomStringConvertible {
    /// SQLite's extended result code.
    package let code: Int
    package let description: String
  }

  package let identifier: Int32
  private let socket: Int32
  private let queue = DispatchQueue(label: "livequery.test.process")
  private var unfinished: [UInt8] = []
  private let status = Mutex<Int32?>(nil)

  /// Starts a process that commits what ``send(_:)`` tells it.
  package static func serve(_ database: String, _ options: String...) async throws
    -> ExternalProcess
  {
    try await serve(database, options)
  }

  /// The same with options that were put together.
  package static func serve(_ database: String, _ options: [String]) async throws
    -> ExternalProcess
  {
    let process = try ExternalProcess(["serve", database] + options)
    let greeting = try await process.line()
    guard greeting.hasPrefix("ready ") else { throw Unexpected("ExternalWriter said \(greeting)") }
    return process
  }

  /// Starts a process in any mode.
  package init(_ arguments: [String]) throws {
    let program = try BuiltProgram.path("ExternalWriter")
    // Closed on exec: a child that held another one's end would keep it from ending.
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends) == 0 else {
      throw Unexpected("socketpair: \(String(cString: strerror(errno)))")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    // The backtracer of a crashed child would ask questions.
    var variables: [UnsafeMutablePointer<CChar>?] = [
      strdup("SWIFT_BACKTRACE=enable=no"), strdup("LC_ALL=C.UTF-8"), nil,
    ]
    defer { for word in words + variables { free(word) } }
    var child: pid_t = 0
    let result = posix_spawn(&child, program, &actions, nil, &words, &variables)
    close(ends[1])
    guard result == 0 else {
      close(ends[0])
      throw Unexpected("\(program) cannot be started: \(String(cString: strerror(result)))")
    }
    identifier = child
    socket = ends[0]
  }

  deinit {
    kill()
    _ = reap()
    close(socket)
  }

  /// Has the process run a line of SQL, or a command.
  ///
  /// - Returns: Its rows, as text.
  /// - Throws: ``Failure`` when SQLite refused it.
  @discardableResult
  package func send(_ line: String) async throws -> [[String]] {
    try tell(line)
    return try await answer()
  }

  /// Gives the process a line, and does not wait for the answer.
  package func tell(_ line: String) throws {
    let bytes = Array((line.split(separator: "\n").joined(separator: " ") + "\n").utf8)
    guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw Unexpected("ExternalWriter \(identifier) takes nothing more")
    }
  }

  /// Waits for the answer to the oldest line that has none.
  package func answer() async throws -> [[String]] {
    var rows: [[String]] = []
    while true {
      let words = try await line().split(separator: "\t", omittingEmptySubsequences: false)
      let first = words.first.map(String.init) ?? ""
      if first == "row" {
        rows.append(words.dropFirst().map(String.init))
      } else if first.hasPrefix("ok") {
        return rows
      } else if first.hasPrefix("error ") {
        let code = first.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        throw Failure(code: code, description: words.joined(separator: "\t"))
      } else {
        throw Unexpected("ExternalWriter said \(first)")
      }
    }
  }

  /// The next line that the process prints.
  ///
  /// - Throws: When it ends, or says nothing for a minute.
  package func line() async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.readLine() }) }
    }
  }

  /// Kills the process, as the kernel does when memory is short.
  package func kill() {
    status.withLock { if $0 == nil { _ = Glibc.kill(identifier, SIGKILL) } }
  }

  /// Waits for the end of the process.
  ///
  /// - Returns: Its exit status; 128 and the signal's number when it was killed.
  @discardableResult
  package func ended() async -> Int32 {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.reap()) }
    }
  }

  /// Ends a serving process at the end of its input, and waits for that.
  package func finish() async {
    shutdown(socket, Int32(SHUT_WR))
    await ended()
  }

  private func reap() -> Int32 {
    status.withLock { status in
      if let status { return status }
      var raw: Int32 = 0
      while waitpid(identifier, &raw, 0) < 0, errno == EINTR {}
      let result = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
      status = result
      return result
    }
  }

  private func readLine() throws -> String {
    while true {
      if let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unfinished.removeSubrange(...end) }
        return String(decoding: unfinished[..<end], as: UTF8.self)
      }
      var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, 60_000) == 1 else {
        throw Unexpected("ExternalWriter \(identifier) says nothing")
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(socket, &buffer, buffer.count)
      guard count > 0 else { throw Unexpected("ExternalWriter \(identifier) ended") }
      unfinished += buffer[..<count]
    }
  }
}
