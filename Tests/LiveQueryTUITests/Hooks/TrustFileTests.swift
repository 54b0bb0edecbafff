import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct TrustFileTests {
  private let folder: TemporaryFolder
  private let file: TrustFile

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    file = try #require(TrustFile { $0 == "XDG_STATE_HOME" ? folder.path : nil })
  }

  @Test func `what was confirmed is remembered for this content at this path`() throws {
    let digest = TrustFile.digest(path: "/a.sql", text: "SELECT 1")
    #expect(!file.contains(digest))
    try file.add(digest, of: "/a.sql")
    #expect(file.contains(digest))
    #expect(!file.contains(TrustFile.digest(path: "/a.sql", text: "SELECT 2")))
    #expect(!file.contains(TrustFile.digest(path: "/b.sql", text: "SELECT 1")))
    #expect(!file.contains(TrustFile.digest(command: "SELECT 1", folder: "/a.sql")))
    #expect(!file.contains(""))
    #expect(!file.contains(String(digest.dropLast())))
  }

  @Test func `confirmations add up, and each is a line for people too`() throws {
    try file.add("aa", of: "/one.sql")
    try file.add("bb", of: "/two\nlines.sql")
    #expect(try folder.text("livequery/trusted") == "aa  /one.sql\nbb  /two lines.sql\n")
    #expect(file.contains("bb"))
  }

  @Test func `the file is for its owner alone`() throws {
    try file.add("aa", of: "x")
    var information = stat()
    #expect(stat(file.path, &information) == 0)
    #expect(information.st_mode & 0o777 == 0o600)
  }

  @Test func `a file of garbage confirms nothing`() throws {
    try file.add("aa", of: "x")
    try folder.write(Array(repeating: 0xff, count: 100_000), to: "livequery/trusted")
    #expect(!file.contains("aa"))
  }

  @Test func `a folder that cannot be made is told`() throws {
    let file = try #require(TrustFile { $0 == "XDG_STATE_HOME" ? "/dev/null" : nil })
    let failure = #expect(throws: Failure.self) { try file.add("aa", of: "x") }
    #expect(failure?.message.contains("holds for this session only") == true)
    #expect(!file.contains("aa"))
  }

  @Test func `without a home nothing is remembered`() {
    #expect(TrustFile { _ in nil } == nil)
    #expect(TrustFile { $0 == "HOME" ? "/h" : nil }?.path == "/h/.local/state/livequery/trusted")
  }
}
