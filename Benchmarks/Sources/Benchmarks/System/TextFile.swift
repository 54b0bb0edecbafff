import Glibc

/// Small files, written whole.
enum TextFile {
  static func write(_ text: String, to path: String) throws(Failure) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Failure(call: path) }
    defer { close(file) }
    var text = text
    let count = text.utf8.count
    let written = text.withUTF8 { Glibc.write(file, $0.baseAddress, $0.count) }
    guard written == count else { throw Failure(call: path) }
  }

  static func read(_ path: String) throws(Failure) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure(call: path) }
    let source = ByteSource(file)
    while !source.hasEnded { source.read() }
    return String(decoding: source.bytes, as: UTF8.self)
  }
}
