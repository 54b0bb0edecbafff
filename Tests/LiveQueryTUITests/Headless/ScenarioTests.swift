import Glibc
import TestSupport
import Testing

/// What can only be seen from outside: the program stopped, twice, or without permissions.
@Suite(.fewAtOnce) struct ScenarioTests {
  private func start(_ database: String) throws -> RunningProgram {
    try LiveQuery.start(["--stream", database, "-c", "SELECT v FROM t"])
  }

  private func wait(for value: String, in program: RunningProgram) async throws {
    while !(try await program.line()).contains("\"new\":{\"v\":\"\(value)\"}") {}
  }

  /// Makes more events in the folder than the kernel keeps for one listener.
  private func overflow(_ playground: Playground) throws {
    let file = open("/proc/sys/fs/inotify/max_queued_events", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var digits = [UInt8](repeating: 0, count: 32)
    let count = read(file, &digits, digits.count)
    let text = String(decoding: digits.prefix(max(0, count)), as: UTF8.self)
    let limit = try #require(Int(text.filter(\.isNumber)))
    let path = playground.folder.path("noise")
    // Two events each, which differ, so that the kernel does not merge them.
    for _ in 0...(limit / 2 + 8) {
      let noise = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      try #require(noise >= 0)
      close(noise)
      unlink(path)
    }
  }

  /// Stops the program at a moment at which it keeps nobody from writing.
  ///
  /// It does while it closes its connections, and while it reads beside a rollback journal: stopped
  /// then, it would keep every writer out.
  private func stop(_ program: RunningProgram, journal: String) async throws {
    // A connection to a file in WAL mode always has shared locks, which are in nobody's way.
    let isInTheWay = { (kind: String) in journal != "wal" || kind == "WRITE" }
    try await TestSupport.wait(for: "a moment without a lock") {
      try await program.stop()
      if try !program.locks().contains(where: isInTheWay) { return true }
      program.signal(SIGCONT)
      return false
    }
  }

  /// Commits while the program is stopped, and lets it go on.
  private func commit(
    _ sql: String, in playground: Playground, journal: String, unseenBy program: RunningProgram
  ) async throws {
    try await stop(program, journal: journal)
    defer { program.signal(SIGCONT) }
    try overflow(playground)
    try await playground.shell.run(sql)
  }

  @Test(arguments: ["wal", "delete"])
  func `a commit is shown whose event the kernel dropped`(_ journal: String) async throws {
    let playground = try await Playground(Fixture.counter, journal: journal)
    let program = try start(playground.database)
    while !(try await program.line()).contains("\"op\":\"end\"") {}
    for value in ["b", "c"] {
      try await commit(
        "UPDATE t SET v = '\(value)'", in: playground, journal: journal, unseenBy: program)
      try await wait(for: value, in: program)
    }
    // As is another file at the path.
    let other = SQLiteShell(playground.folder.path("other.db"))
    try await other.run("CREATE TABLE t (v); INSERT INTO t VALUES ('moved')")
    program.signal(SIGSTOP)
    try overflow(playground)
    // As a careful person does it: the log of the old file must not meet the new one.
    for suffix in ["-wal", "-shm"] { unlink(playground.database + suffix) }
    #expect(rename(other.database, playground.database) == 0)
    program.signal(SIGCONT)
    try await wait(for: "moved", in: program)
    try await playground.shell.run("UPDATE t SET v = 'after'")
    try await wait(for: "after", in: program)
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
  }

  @Test(arguments: ["wal", "delete"])
  func `two programs watch one file, and leave nothing beside it`(
    _ journal: String
  ) async throws {
    let playground = try await Playground(Fixture.counter, journal: journal)
    let first = try start(playground.database)
    let second = try start(playground.database)
    try await wait(for: "a", in: first)
    try await wait(for: "a", in: second)
    for value in ["b", "c", "d"] {
      try await playground.shell.run("UPDATE t SET v = '\(value)'")
      try await wait(for: value, in: first)
      try await wait(for: value, in: second)
    }
    first.signal(SIGTERM)
    #expect(try await first.result().status == 143)
    try await playground.shell.run("UPDATE t SET v = 'e'")
    try await wait(for: "e", in: second)
    second.signal(SIGTERM)
    #expect(try await second.result().status == 143)
    #expect(playground.folder.names == ["app.db"])
  }

  @Test
  func `somebody who may only read sees what the owner commits, and makes no file`() async throws {
    let playground = try await Playground(Fixture.counter, journal: "wal")
    let place = try TemporaryFolder()
    #expect(chmod(place.path, 0o755) == 0)
    let files = ["", "-wal", "-shm"].map { playground.database + $0 }
    func close(_ isClosed: Bool) {
      // Root owns what it makes; anybody else must be kept from it by the bits.
      for file in files { chmod(file, isClosed ? 0o444 : 0o644) }
      chmod(playground.folder.path, isClosed ? 0o555 : 0o755)
    }
    close(false)
    let owner = try await ExternalProcess.serve(playground.database, "--sync", "OFF")
    try await owner.send("UPDATE t SET v = 'b'")
    close(true)
    defer { close(false) }
    let names = playground.folder.names
    #expect(names == ["app.db", "app.db-shm", "app.db-wal"])
    // Through a -shm that can only be read.
    let program = try await LiveQuery.startUnprivileged(
      ["--stream", playground.database, "-c", "SELECT v FROM t"], in: place)
    try await wait(for: "b", in: program)
    for value in ["c", "d"] {
      try await owner.send("UPDATE t SET v = '\(value)'")
      try await wait(for: value, in: program)
    }
    #expect(playground.folder.names == names)
    close(false)
    await owner.finish()
    let next = try await ExternalProcess.serve(playground.database, "--sync", "OFF")
    try await next.send("UPDATE t SET v = 'e'")
    close(true)
    try await wait(for: "e", in: program)
    try await next.send("UPDATE t SET v = 'f'")
    try await wait(for: "f", in: program)
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
    #expect(playground.folder.names == names)
    close(false)
    await next.finish()
    #expect(playground.folder.names == ["app.db"])
  }

  @Test(arguments: ["wal", "delete"])
  func `a file that nobody seems to change is read anew when its owner writes`(
    _ journal: String
  ) async throws {
    let playground = try await Playground(Fixture.counter, journal: journal)
    let place = try TemporaryFolder()
    #expect(chmod(place.path, 0o755) == 0)
    #expect(chmod(playground.database, 0o444) == 0)
    #expect(chmod(playground.folder.path, 0o555) == 0)
    defer { chmod(playground.folder.path, 0o755) }
    let program = try await LiveQuery.startUnprivileged(
      ["--stream", playground.database, "-c", "SELECT v FROM t"], in: place)
    try await wait(for: "a", in: program)
    for value in ["b", "c", "d"] {
      #expect(chmod(playground.folder.path, 0o755) == 0)
      #expect(chmod(playground.database, 0o644) == 0)
      try await playground.shell.run("UPDATE t SET v = '\(value)'")
      #expect(chmod(playground.database, 0o444) == 0)
      #expect(chmod(playground.folder.path, 0o555) == 0)
      try await wait(for: value, in: program)
    }
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
    // Whoever writes next, and ends last, removes what the owner made.
    #expect(chmod(playground.folder.path, 0o755) == 0)
    #expect(chmod(playground.database, 0o644) == 0)
    #expect(try await playground.shell.run("UPDATE t SET v = 'z'; SELECT v FROM t") == "z\n")
    #expect(playground.folder.names == ["app.db"])
  }
}
