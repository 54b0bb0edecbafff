import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite(.fewAtOnce) struct OutputFileTests {
  @Test func `the file of -o is written instead of standard output`() async throws {
    let playground = try await Playground()
    try playground.folder.write("something longer that was there before", to: "out")
    let result = try await LiveQuery.run(
      "--json", "-o", playground.folder.path("out"), playground.database, "-c", "SELECT 1 AS a")
    #expect(result.status == 0)
    #expect(result.output == "")
    #expect(try playground.folder.text("out") == "[{\"a\":1}]\n")
  }

  @Test(arguments: [
    ("app.db", "this is the database itself"), ("link", "this is the database itself"),
    ("app.db-wal", "SQLite keeps a part of the database there"),
    ("wal", "SQLite keeps a part of the database there"), ("board.sql", "this is the dashboard"),
  ])
  func `what is read is not overwritten`(_ name: String, _ reason: String) async throws {
    let playground = try await Playground(Fixture.counter)
    let folder = playground.folder
    let board = try folder.write("SELECT v FROM t;", to: "board.sql")
    #expect(symlink("app.db", folder.path("link")) == 0)
    #expect(symlink("app.db-wal", folder.path("wal")) == 0)
    let before = try folder.bytes("app.db")
    for options in [["--csv"], ["--stream", "--until", "SELECT 1"], ["--frame", "40x10"]] {
      let result = try await LiveQuery.run(
        options + ["-o", folder.path(name), playground.database, board])
      #expect(result.status == 2 && result.errors.contains(reason), "\(options): \(result.errors)")
    }
    #expect(try folder.bytes("app.db") == before)
    #expect(try folder.text("board.sql") == "SELECT v FROM t;")
    #expect(!folder.names.contains("app.db-wal"))
  }

  @Test func `no file of a folder is one that is read, or that of two panels`() async throws {
    let playground = try await Playground(Fixture.counter)
    let folder = playground.folder
    let before = try folder.bytes("app.db")
    #expect(symlink("app.db", folder.path("n.csv")) == 0)
    let board = try folder.write("-- name: board\nSELECT v FROM t;", to: "board.csv")
    let named = try folder.write("-- name: n\nSELECT v FROM t;", to: "n.sql")
    let two = try folder.write(
      "-- name: a/b\nSELECT 1;\n-- name: a_b\nSELECT 2;", to: "two.sql")
    for (dashboard, reason) in [
      (board, "this is the dashboard"), (named, "this is the database itself"),
      (two, "would have the same file"),
    ] {
      let result = try await LiveQuery.run(
        "--once", "--csv", "-o", folder.path(""), playground.database, dashboard)
      #expect(result.status == 2 && result.errors.contains(reason), "\(result.errors)")
    }
    #expect(try folder.bytes("app.db") == before)
    #expect(try folder.text("board.csv").hasPrefix("-- name"))
    #expect(!folder.names.contains("a_b.csv"))
  }

  @Test func `neither the configuration nor the theme in use is overwritten`() async throws {
    let playground = try await Playground(Fixture.counter)
    let config = try playground.folder.write("ascii = true\n", to: "config")
    let result = try await LiveQuery.run(
      "--config", config, "--csv", "-o", config, playground.database, "-c", "SELECT 1")
    #expect(result.status == 2 && result.errors.contains("this is the configuration"))
    #expect(try playground.folder.text("config") == "ascii = true\n")
  }

  @Test func `what a link in a folder leads to is not overwritten`() async throws {
    let playground = try await Playground(Fixture.counter)
    let folder = playground.folder
    try folder.write("kept", to: "keep")
    #expect(symlink("keep", folder.path("panel1.csv")) == 0)
    let result = try await LiveQuery.run(
      "--csv", "-o", folder.path(""), playground.database, "-c", "SELECT v FROM t")
    #expect(result.status == 2 && result.errors.contains("is a symbolic link"), "\(result.errors)")
    #expect(try folder.text("keep") == "kept")
  }

  @Test(arguments: [
    ("themes/mine.theme", "this is the theme in use"), ("config", "this is the configuration"),
    ("trusted", "this is a file that livequery keeps"),
    ("history", "this is a file that livequery keeps"),
  ])
  func `a file in the folders of the program is not overwritten`(
    _ name: String, _ reason: String
  ) async throws {
    let playground = try await Playground()
    let folder = playground.folder
    for path in ["livequery", "livequery/themes"] { #expect(mkdir(folder.path(path), 0o755) == 0) }
    // A theme that does not exist can't be chosen.
    try folder.write("# kept\n", to: "livequery/themes/mine.theme")
    let path = try folder.write("# kept\n", to: "livequery/\(name)")
    let result = try await LiveQuery.run(
      "--theme", "mine", "--csv", "-o", path, playground.database, "-c", "SELECT 1",
      environment: ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.path])
    #expect(result.status == 2 && result.errors.contains(reason), "\(result.errors)")
    #expect(try folder.text("livequery/\(name)") == "# kept\n")
  }

  @Test func `a device may be written, and a state isn't the output`() async throws {
    let playground = try await Playground(Fixture.counter)
    let result = try await LiveQuery.run(
      "--csv", "-o", "/dev/null", playground.database, "-c", "SELECT v FROM t")
    #expect(result.errors == "" && result.status == 0)
    let nowhere = try await LiveQuery.run(
      "--csv", "-o", playground.folder.path("none/out"), "postgres:///shop", "-c", "SELECT 1")
    #expect(!nowhere.errors.contains("the database itself"))
    let path = playground.folder.path("one")
    let same = try await LiveQuery.run(
      "--stream", "-o", path, "--state", path, playground.database, "-c", "SELECT v FROM t")
    #expect(same.status == 2 && same.errors.contains("this is the file of --state"))
  }

  @Test(
    arguments: [
      "SELECT * FROM missing", "SELECT abs(-9223372036854775807 - 1)", "SELEKT", "SELECT :p",
      "DELETE FROM t",
    ])
  func `the old file stays as it was when the query fails`(_ query: String) async throws {
    let playground = try await Playground(Fixture.counter)
    try playground.folder.write("old", to: "out")
    let result = try await LiveQuery.run(
      "--json", "-o", playground.folder.path("out"), playground.database, "-c", query)
    #expect(result.status != 0)
    #expect(result.errors.contains("panel1"))
    #expect(try playground.folder.text("out") == "old")
  }

  @Test func `a file that cannot be written is named`() async throws {
    let playground = try await Playground()
    let path = playground.folder.path("missing/out")
    let result = try await LiveQuery.run(
      "--json", "-o", path, playground.database, "-c", "SELECT 1")
    #expect(result.status == 3)
    #expect(result.errors == "livequery: \(path): No such file or directory\n")
  }

  @Test func `a full disk is an error, and says so`() async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run(
      "--json", "-o", "/dev/full", playground.database, "-c", "SELECT 1")
    #expect(result.status == 1)
    #expect(result.errors == "livequery: /dev/full: No space left on device\n")
  }

  @Test func `a reader that goes away is no error`() async throws {
    let playground = try await Playground()
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) "
    let program = try LiveQuery.start(
      ["--ndjson", "--query-timeout", "0", playground.database, "-c", many + "SELECT i FROM n"])
    #expect(try await program.line() == "{\"i\":1}")
    await program.closeOutput()
    let result = try await program.result()
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test func `what is gathered is written once, and a file is made for nothing too`() throws {
    let folder = try TemporaryFolder()
    let output = Output(path: folder.path("out"))
    #expect(folder.names == [])
    output.write("a")
    output.write("b")
    #expect(folder.names == [])
    try output.flushWaiting()
    #expect(try folder.text("out") == "ab")
    output.write("c")
    try output.flushWaiting()
    #expect(try folder.text("out") == "abc")
    try Output(path: folder.path("empty")).flushWaiting()
    #expect(try folder.text("empty") == "")
  }

  @Test func `what was gathered is written from another thread`() async throws {
    let folder = try TemporaryFolder()
    let output = Output(path: folder.path("out"))
    let long = String(repeating: "0123456789", count: 30_000)
    output.write(long)
    try await output.flush()
    #expect(try folder.text("out") == long)
  }
}
