import CSystem
import Glibc

/// What another process writes to a pipe or terminal, and when it can be read.
///
/// Proof of `@unchecked`: each is used by one thread, after it was handed to that thread.
final class ByteSource: @unchecked Sendable {
  let descriptor: Int32
  /// What was read since the last ``clear()``.
  private(set) var bytes: [UInt8] = []
  /// Whether the other end is closed.
  private(set) var hasEnded = false
  /// How many bytes ever came.
  private(set) var total = 0
  /// How many times bytes came after a silence of five milliseconds.
  private(set) var bursts = 0
  private var lastRead: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: 256 * 1024)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  func clear() { bytes.removeAll(keepingCapacity: true) }

  /// Reads what is there, which poll said there is.
  func read() {
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      bytes += buffer[..<count]
      total += count
      let now = Clock.now
      if now - lastRead > 5_000_000 { bursts += 1 }
      lastRead = now
    } else if count == 0 || errno != EINTR {
      // A terminal whose other end was closed gives EIO.
      hasEnded = true
    }
  }

  /// Reads for so long, so that whoever writes is never held up.
  func drain(for nanoseconds: UInt64) {
    let end = Clock.now + nanoseconds
    while !hasEnded, Self.wait([self], until: end) { read() }
    // Nothing comes any more: the pause is kept all the same.
    let now = Clock.now
    if now < end { Clock.sleep(end - now) }
  }

  /// Reads until `isEnough` says so.
  ///
  /// - Returns: When that was readable.
  func read(
    within nanoseconds: UInt64, until isEnough: (ByteSource) -> Bool
  ) throws(Failure) -> UInt64 {
    let end = Clock.now + nanoseconds
    var time = Clock.now
    while !isEnough(self) {
      guard !hasEnded, Self.wait([self], until: end) else {
        throw Failure("what was waited for did not come; the last bytes: \(tail)")
      }
      time = Clock.now
      read()
    }
    return time
  }

  /// Waits until one of `sources` can be read.
  static func wait(_ sources: [ByteSource], until end: UInt64) -> Bool {
    var descriptors = sources.map {
      pollfd(fd: $0.hasEnded ? -1 : $0.descriptor, events: Int16(POLLIN), revents: 0)
    }
    while true {
      let now = Clock.now
      guard now < end else { return false }
      let milliseconds = Int32(clamping: (end - now + 999_999) / 1_000_000)
      let count = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
      if count > 0 { return true }
    }
  }

  /// Whether something can be read now.
  var isReady: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return !hasEnded && poll(&state, 1, 0) == 1
  }

  /// Whether `text` is among the bytes.
  func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    return bytes.withUnsafeBytes { bytes in
      wanted.withUnsafeBytes {
        bench_contains(bytes.baseAddress, bytes.count, $0.baseAddress, $0.count) != 0
      }
    }
  }

  /// Takes the first line off, without its end; `nil` when there is no whole one.
  func takeLine() -> String? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { bytes.removeSubrange(...end) }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  private var tail: String { String(decoding: bytes.suffix(300), as: UTF8.self).debugDescription }
}
