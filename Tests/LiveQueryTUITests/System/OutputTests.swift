import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

/// What a process that was killed had written, wherever it was.
@Suite struct OutputTests {
  private static let old = "{\"tx\":1}\n"
  private static let text = "{\"tx\":2,\"op\":\"+\"}\n{\"tx\":2,\"op\":\"end\"}\n"

  /// A folder with a file, and where the text would have begun in it.
  private func begin() throws -> (folder: TemporaryFolder, place: Output.Place?) {
    let folder = try TemporaryFolder()
    try folder.write(Self.old, to: "out")
    let place = try Output(path: folder.path("out"), appends: true)
      .write(Self.text, perhapsAt: nil)
    return (folder, place)
  }

  /// What the file has after the next run.
  private func resumed(_ folder: TemporaryFolder, _ place: Output.Place?) throws -> String {
    let output = Output(path: folder.path("out"), appends: true)
    _ = try output.write(Self.text, perhapsAt: place)
    try output.flushWaiting()
    return try folder.text("out")
  }

  @Test func `a file gets what it lacks, wherever the text was cut`() throws {
    for count in 0...Self.text.utf8.count {
      let (folder, place) = try begin()
      let part = String(Self.text.prefix(count))
      try folder.write(Self.old + part, to: "out")
      #expect(try resumed(folder, place) == Self.old + Self.text, "\(count) bytes were written")
      // It is all there, however often that is asked.
      #expect(try resumed(folder, place) == Self.old + Self.text)
    }
  }

  @Test func `what another program appends is not taken for the text`() throws {
    let cases = [
      // Behind all of it.
      (Self.old + Self.text + "other\n", Self.old + Self.text + "other\n"),
      // In its place, and behind a part of it.
      (Self.old + "other\n", Self.old + "other\n" + Self.text),
      (Self.old + "{\"tx\":2other\n", Self.old + "{\"tx\":2other\n" + Self.text),
      // The file was emptied.
      ("", Self.text),
    ]
    for (found, expected) in cases {
      let (folder, place) = try begin()
      try folder.write(found, to: "out")
      #expect(try resumed(folder, place) == expected, "\(found)")
    }
  }

  @Test func `another file with the same name gets the text`() throws {
    let (folder, place) = try begin()
    try folder.write(Self.old + Self.text, to: "new")
    #expect(rename(folder.path("new"), folder.path("out")) == 0)
    #expect(try resumed(folder, place) == Self.old + Self.text + Self.text)
  }

  @Test func `only a regular file has places`() throws {
    #expect(try Output(path: "/dev/null", appends: true).write(Self.text, perhapsAt: nil) == nil)
  }
}
