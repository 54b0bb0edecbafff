import Glibc

/// Lines for whoever started this process, written at once: it may be killed any moment.
enum Output {
  static func line(_ text: String) { write(text, to: 1) }
  static func complaint(_ text: String) { write("ExternalWriter: \(text)", to: 2) }

  /// The columns of a row, told apart from "ok" and "error" by its first word.
  static func row(_ columns: [String?]) {
    line((["row"] + columns.map { $0 ?? "NULL" }).joined(separator: "\t"))
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text + "\n"
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count < 0 {
          if errno == EINTR { continue }
          exit(1)  // Nobody listens any more.
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }
}

/// The monotonic clock, which all processes of a machine share.
enum Clock {
  static var nanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
