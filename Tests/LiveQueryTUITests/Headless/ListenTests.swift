import Glibc
import ObservationEngine
import Synchronization
import TestSupport
import Testing

@testable import LiveQueryTUI

/// `--listen unix:PATH`, and the server behind it.
@Suite(.fewAtOnce) struct ListenTests {
  /// A client of a socket, which reads when it is asked to.
  final class Client: Sendable {
    private let descriptor: Int32
    /// What came behind the last line that was read.
    private let received = Mutex<[UInt8]>([])

    init(_ path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard result == 0 else { throw Unexpected("connect: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Reads lines up to one that contains a text; up to the end for nil.
    func lines(to text: String?) async throws -> [String] {
      try await onOwnThread { [self] in try received.withLock { try read(&$0, to: text) } }
    }

    private func read(_ received: inout [UInt8], to text: String?) throws -> [String] {
      var lines: [String] = []
      while true {
        while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
          lines.append(String(decoding: received[..<end], as: UTF8.self))
          received.removeSubrange(...end)
          if let text, lines[lines.count - 1].contains(text) { return lines }
        }
        guard try receiveMore(&received) else {
          if text != nil { throw Unexpected("the socket has ended: \(lines)") }
          return lines + (received.isEmpty ? [] : [String(decoding: received, as: UTF8.self)])
        }
      }
    }

    /// - Returns: Whether there is more; false at the end.
    private func receiveMore(_ received: inout [UInt8]) throws -> Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 60_000) > 0 else { throw Unexpected("the socket says nothing") }
      var buffer = [UInt8](repeating: 0, count: 1 << 17)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      received += buffer[..<count]
      return true
    }
  }

  @Test func `each client begins with the rows, and follows from there`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (v); INSERT INTO t VALUES (1);", journal: "wal")
    let path = playground.folder.path("s")
    let program = try LiveQuery.start(
      ["--stream", "--listen", "unix:\(path)", playground.database, "-c", "SELECT v FROM t"])
    _ = try await program.line()
    _ = try await program.line()
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)

    let first = try Client(path)
    let opening = try await first.lines(to: "\"end\"")
    #expect(opening.count == 2 && opening[0].contains("\"new\":{\"v\":1}"), "\(opening)")
    #expect(opening.allSatisfy { $0.contains("\"src\":\"open\"") })
    try await playground.shell.run("INSERT INTO t VALUES (2)")
    let change = try await first.lines(to: "\"end\"")
    #expect(change[0].contains("\"op\":\"+\"") && change[0].contains("{\"v\":2}"), "\(change)")

    let second = try Client(path)
    let late = try await second.lines(to: "\"end\"")
    #expect(late.count == 3 && late.allSatisfy { $0.contains("\"src\":\"open\"") }, "\(late)")

    program.signal(SIGTERM)
    _ = try await program.result()
    #expect(try await first.lines(to: nil) == [])
    #expect(lstat(path, &status) != 0, "the socket is gone")
  }

  @Test func `a client that comes while a panel fails begins with its last rows, and is told`()
    async throws
  {
    let playground = try await Playground("CREATE TABLE t (v); INSERT INTO t VALUES (1);")
    let path = playground.folder.path("s")
    let program = try LiveQuery.start(
      ["--stream", "--listen", "unix:\(path)", playground.database, "-c", "SELECT v FROM t"])
    _ = try await program.line()
    try await playground.shell.run("ALTER TABLE t RENAME v TO w")
    try await program.waitForErrors(containing: "panel1: no such column: v")
    let client = try Client(path)
    let opening = try await client.lines(to: "\"stale\"")
    #expect(opening.count == 3 && opening[0].contains("{\"v\":1}"), "\(opening)")
    #expect(opening.last?.contains("\"why\":\"no such column: v\"") == true, "\(opening)")
    try await playground.shell.run("ALTER TABLE t RENAME w TO v")
    #expect(try await client.lines(to: "\"fresh\"").count == 1)
    program.signal(SIGTERM)
    _ = try await program.result()
  }

  @Test func `a left socket is replaced, one in use and any other file are not`() async throws {
    let playground = try await Playground("CREATE TABLE t (v)", journal: "wal")
    let path = playground.folder.path("s")
    let arguments = [
      "--stream", "--listen", "unix:\(path)", playground.database, "-c", "SELECT v FROM t",
    ]
    let killed = try LiveQuery.start(arguments)
    _ = try await killed.line()
    killed.signal(SIGKILL)
    _ = try await killed.result()
    let program = try LiveQuery.start(arguments)
    _ = try await program.line()
    let other = try await LiveQuery.run(arguments)
    #expect(other.errors.contains("another process listens there"))
    #expect(other.status == 3)
    program.signal(SIGTERM)
    _ = try await program.result()
    _ = try playground.folder.write("text", to: "s")
    let refused = try await LiveQuery.run(arguments)
    #expect(refused.errors.contains("isn't a socket; name another"))
    #expect(try playground.folder.text("s") == "text")
    let long = try await LiveQuery.run(
      "--stream", "--listen", "unix:" + String(repeating: "x", count: 200), playground.database)
    #expect(long.errors.contains("a socket needs a path of 1 to 107 bytes"))
    let word = try await LiveQuery.run("--stream", "--listen", "tcp:1", playground.database)
    #expect(word.errors.contains("expected a socket, such as unix:/tmp/app.sock"))
  }

  @Test func `a slow client is cut off with a word, and no other waits`() async throws {
    let folder = try TemporaryFolder()
    let (clients, continuation) = AsyncStream<Int32>.makeStream()
    let server = try LineServer(path: folder.path("s")) { continuation.yield($0) }
    defer { server.stop() }
    var arrivals = clients.makeAsyncIterator()
    let slow = try Client(folder.path("s"))
    let slowNumber = try #require(await arrivals.next())
    let fast = try Client(folder.path("s"))
    let fastNumber = try #require(await arrivals.next())
    server.begin(slowNumber, with: Array("begin\n".utf8))
    server.begin(fastNumber, with: Array("begin\n".utf8))
    let line = String(repeating: "x", count: 99_999) + "\n"
    // Four times as much as may wait.
    for number in 0..<(4 * LineServer.limit / line.utf8.count) {
      server.send(line)
      server.send("fence \(number)\n")
      #expect(try await fast.lines(to: "fence").last == "fence \(number)")
    }
    let lines = try await slow.lines(to: nil)
    #expect(lines.first == "begin")
    #expect(
      lines.last == "{\"op\":\"cut\",\"why\":\"it reads too slowly: more than 4 MB were waiting\"}")
    // Every line is whole.
    #expect(
      lines.dropFirst().dropLast().allSatisfy { $0.utf8.count == 99_999 || $0.hasPrefix("fence ") })
  }

  @Test func `a client that has read a long beginning has no more room than others`() async throws {
    let folder = try TemporaryFolder()
    let (clients, continuation) = AsyncStream<Int32>.makeStream()
    let server = try LineServer(path: folder.path("s")) { continuation.yield($0) }
    defer { server.stop() }
    var arrivals = clients.makeAsyncIterator()
    let client = try Client(folder.path("s"))
    let number = try #require(await arrivals.next())
    let line = String(repeating: "x", count: 99_999) + "\n"
    let count = 2 * LineServer.limit / line.utf8.count
    server.begin(number, with: Array((String(repeating: line, count: count) + "begun\n").utf8))
    #expect(try await client.lines(to: "begun").count == count + 1)
    for _ in 0..<count { server.send(line) }
    let lines = try await client.lines(to: nil)
    #expect(lines.count < count)
    #expect(lines.last?.hasPrefix("{\"op\":\"cut\"") == true)
  }
}
