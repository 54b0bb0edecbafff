import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct HistoryFileTests {
  private func history(in folder: TemporaryFolder) throws -> HistoryFile {
    try #require(HistoryFile { $0 == "XDG_STATE_HOME" ? folder.path : nil })
  }

  @Test(
    arguments: [
      "SELECT 1;", "", "a\nb", "\n", "\\", "\\n", "a\\\nb", "\\\\n", "ends with \\", "tab\there",
      "'it''s'", "größe 日本 👩\u{200d}🚀", "e\u{301}", "\u{1b}[2J",
    ])
  func `an entry comes back as it was`(_ entry: String) throws {
    let escaped = LineFile.escaped(entry)
    #expect(!escaped.utf8.contains(0x0a))
    #expect(LineFile.unescaped(escaped) == entry)
    let folder = try TemporaryFolder()
    try history(in: folder).append("before")
    try history(in: folder).append(entry)
    // An empty entry is a line that holds nothing, and says nothing.
    #expect(try history(in: folder).read() == ["before"] + (entry.isEmpty ? [] : [entry]))
  }

  @Test func `a line end of two characters becomes one`() {
    #expect(LineFile.unescaped(LineFile.escaped("a\r\nb")) == "a\nb")
  }

  @Test func `folders are made, and nobody else may read the file`() throws {
    let folder = try TemporaryFolder()
    let history = try #require(
      HistoryFile { $0 == "XDG_STATE_HOME" ? folder.path("a/b") : nil })
    #expect(history.read() == [])
    try history.append("x")
    #expect(history.path == folder.path("a/b/livequery/history"))
    #expect(history.read() == ["x"])
  }

  @Test func `it is below the home folder unless the state has one`() {
    func path(_ variables: [String: String]) -> String? {
      HistoryFile { variables[$0] }?.path
    }
    #expect(path(["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/livequery/history")
    #expect(path(["HOME": "/h"]) == "/h/.local/state/livequery/history")
    // The specification of XDG says that a relative path is to be ignored.
    #expect(path(["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state/livequery/history")
    #expect(path(["XDG_STATE_HOME": "", "HOME": "/h"]) == "/h/.local/state/livequery/history")
    #expect(path([:]) == nil)
    #expect(path(["HOME": ""]) == nil)
  }

  @Test func `the newest thousand are read`() throws {
    let folder = try TemporaryFolder()
    try history(in: folder).append("first")
    let lines = (1...1500).map { "SELECT \($0);\n" }.joined()
    try folder.write(lines, to: "livequery/history")
    let entries = try history(in: folder).read()
    #expect(entries.count == 1000)
    #expect(entries.first == "SELECT 501;")
    #expect(entries.last == "SELECT 1500;")
  }

  @Test func `of a file that has grown for years the end is read, from a whole line on`() throws {
    let folder = try TemporaryFolder()
    try history(in: folder).append("first")
    let long = String(repeating: "x", count: 3000)
    try folder.write((1...500).map { "\($0) \(long)\n" }.joined(), to: "livequery/history")
    let entries = try history(in: folder).read()
    #expect(entries.last == "500 \(long)")
    #expect(entries.count > 300)
    #expect(entries.allSatisfy { $0.hasSuffix(" \(long)") })
  }

  @Test func `an entry stands on a line of its own, also after one without its end`() throws {
    let folder = try TemporaryFolder()
    try history(in: folder).append("first")
    try folder.write("SELECT 1;\nselect 6;", to: "livequery/history")
    try history(in: folder).append("select 7;")
    #expect(try history(in: folder).read() == ["SELECT 1;", "select 6;", "select 7;"])
    try history(in: folder).append("select 8;")
    #expect(
      try folder.text("livequery/history") == "SELECT 1;\nselect 6;\nselect 7;\nselect 8;\n")
  }

  @Test func `two sessions keep each other's entries`() throws {
    let folder = try TemporaryFolder()
    let (one, two) = (try history(in: folder), try history(in: folder))
    try one.append("a")
    try two.append("b")
    try one.append("c")
    #expect(two.read() == ["a", "b", "c"])
  }

  @Test func `a file that cannot be written has a reason`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "file")
    let history = try #require(HistoryFile { $0 == "XDG_STATE_HOME" ? file : nil })
    #expect(throws: Failure.self) { try history.append("x") }
    do { try history.append("x") } catch {
      #expect(
        error.message == "the console's history is not kept: \(history.path): Not a directory")
    }
    #expect(history.read() == [])
  }

  @Test func `a full disk has a reason`() throws {
    let folder = try TemporaryFolder()
    try history(in: folder).append("x")
    let made = folder.path("livequery/history")
    try #require(symlinkOver(made, to: "/dev/full"))
    do {
      try history(in: folder).append("y")
      Issue.record("nothing was thrown")
    } catch let failure as Failure {
      #expect(failure.message.hasSuffix("No space left on device"))
    }
  }
}

/// Puts a symbolic link in the place of a file.
func symlinkOver(_ path: String, to target: String) -> Bool {
  unlink(path)
  return symlink(target, path) == 0
}
