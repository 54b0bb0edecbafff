/// A dashboard file's text, addressed by byte offsets that can be turned into positions.
struct SourceText {
  /// The UTF-8 bytes, without a byte order mark.
  let bytes: [UInt8]
  /// Where each line starts.
  private let lineStarts: [Int]

  init(_ text: String) {
    var bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    self.bytes = bytes
    lineStarts =
      [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
  }

  subscript(range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The line of a byte, from 1.
  ///
  /// - Complexity: O(log lines).
  func line(at offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while low < high {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func position(at offset: Int) -> SourcePosition {
    let line = line(at: offset)
    return SourcePosition(line: line, column: 1 + self[lineStarts[line - 1]..<offset].count)
  }
}
