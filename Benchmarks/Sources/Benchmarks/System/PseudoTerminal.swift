import CSystem

/// A terminal of which this process is the screen and the keyboard.
struct PseudoTerminal {
  /// Our end: what is written to the terminal can be read here.
  let descriptor: Int32
  /// The other end, for a process to open.
  let path: String

  init(columns: Int32, rows: Int32) throws(Failure) {
    var name = [CChar](repeating: 0, count: 128)
    descriptor = bench_terminal_open(columns, rows, &name, name.count)
    guard descriptor >= 0 else { throw Failure(call: "opening a terminal") }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
