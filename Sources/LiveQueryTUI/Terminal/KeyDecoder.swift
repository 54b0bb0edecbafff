import Dashboard

/// Turns the bytes that a terminal sends into keys.
///
/// It replaces `wget_wch`, which waits inside the call after every Escape, delivers a paste key by
/// key, and can't be tested without a terminal. Bytes may be split anywhere; an incomplete sequence
/// waits for its rest until ``flush()`` says that none will come.
struct KeyDecoder {
  /// Longer than any sequence that a terminal sends.
  private static let longestSequence = 64
  /// How long a paste may pause, in nanoseconds, before a key is taken for one.
  private static let longestPause: UInt64 = 5_000_000_000

  private var pending: [UInt8] = []
  private var paste: PasteBuffer?
  /// When the newest bytes of the paste came.
  private var pastedAt: UInt64 = 0
  /// The time in nanoseconds.
  private let clock: @Sendable () -> UInt64
  /// The sequences of this terminal's keys according to terminfo, in addition to the common ones.
  private let known: [[UInt8]: Key]

  /// Whether the terminal has not answered all questions yet.
  var awaitsReports = false
  private var reports: [TerminalReport] = []
  /// How many of the first pending bytes were already delivered as keys: time had passed after an
  /// Escape, which may still turn out to start a report.
  private var delivered = 0

  init(
    known: [[UInt8]: Key] = [:], clock: @escaping @Sendable () -> UInt64 = { MonotonicClock.now }
  ) {
    self.known = known
    self.clock = clock
  }

  /// Whether an incomplete sequence may be ended by time: see ``flush()``.
  var isWaiting: Bool { pending.count > delivered && paste == nil && !isReportBegun }

  /// How long the rest of an incomplete sequence may take, in milliseconds.
  ///
  /// 25 ms is longer than a sequence takes over most lines, and faster than a user types Escape
  /// and a letter. No user types the start of a mouse report or of a numbered key: if a slow line
  /// cuts one in two, its parts must not become keys.
  var patience: Int32 {
    let begun = pending.dropFirst(delivered)
    guard begun.starts(with: [0x1b, UInt8(ascii: "[")]), let third = begun.dropFirst(2).first else {
      return 25
    }
    let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(third)
    return third == UInt8(ascii: "<") || isDigit ? 500 : 25
  }

  /// Whether more of a report has arrived than a user could type: the rest will come, however long
  /// it takes.
  private var isReportBegun: Bool {
    awaitsReports && pending.count > 1 + min(delivered, 1)
      && TerminalReport.match(pending[...]) == .begun
  }

  /// The keys that these bytes complete.
  mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    let bytes = Array(bytes)
    if paste != nil, isTyped(bytes) { forget() }
    pending += bytes
    let keys = takeKeys(isComplete: false)
    if paste != nil, !bytes.isEmpty { pastedAt = clock() }
    return keys
  }

  /// Forgets what has begun: its rest went to another program, or never comes.
  mutating func forget() {
    pending = []
    delivered = 0
    paste = nil
  }

  /// Whether bytes that come within a paste are a key: its end was lost, and the user must not be
  /// locked out.
  ///
  /// Only what is too short to hold the end of a paste counts: what follows when a slow line goes
  /// on comes together, and must not press keys.
  private func isTyped(_ bytes: [UInt8]) -> Bool {
    if bytes == [0x03] { return true }
    return !bytes.isEmpty && bytes.count < PasteBuffer.terminator.count
      && clock() - pastedAt > Self.longestPause
  }

  /// The keys in an incomplete sequence, given that nothing follows: an Escape alone is the Escape
  /// key.
  mutating func flush() -> [Key] {
    takeKeys(isComplete: true)
  }

  /// The terminal's answers since the last call.
  mutating func takeReports() -> [TerminalReport] {
    defer { reports = [] }
    return reports
  }

  private mutating func takeKeys(isComplete: Bool) -> [Key] {
    var keys: [Key] = []
    var start = 0
    while start < pending.count {
      if paste != nil {
        guard let key = takePaste(from: &start) else { break }
        keys.append(key)
        continue
      }
      let rest = pending[start...]
      if awaitsReports {
        switch TerminalReport.match(rest) {
        case .report(let report, let length):
          take(report)
          start += length
          continue
        case .begun:
          pending.removeFirst(start)
          return isComplete && !isReportBegun ? keys + deliverBegun() : keys
        case .none:
          start += delivered
          delivered = 0
          if start == pending.count { continue }
        }
      }
      switch Self.next(in: pending[start...], known: known, isComplete: isComplete) {
      case .needsMore where isComplete || rest.count > Self.longestSequence:
        // It was never completed. The first byte is dropped, and the rest is decoded by itself.
        start += 1
      case .needsMore:
        pending.removeFirst(start)
        return keys
      case .keys(let found, let length):
        keys += found
        start += length
      case .pasteBegins(let length):
        paste = PasteBuffer()
        start += length
      }
    }
    pending.removeFirst(start)
    return keys
  }

  private mutating func take(_ report: TerminalReport) {
    reports.append(report)
    delivered = 0
    if report == .deviceAttributes { awaitsReports = false }
  }

  /// The keys in what may be the start of a report, when nothing follows for now.
  private mutating func deliverBegun() -> [Key] {
    let rest = pending[delivered...]
    delivered = pending.count
    if rest.isEmpty { return [] }
    switch Self.next(in: rest, known: known, isComplete: true) {
    case .keys(let keys, _): return keys
    case .pasteBegins, .needsMore: return []
    }
  }

  /// Moves bytes into the paste; returns its key when it has ended.
  private mutating func takePaste(from start: inout Int) -> Key? {
    let key = paste?.append(pending[start...])
    start = pending.count
    guard let key else { return nil }
    let rest = paste?.rest ?? []
    paste = nil
    // What follows the end of the paste is decoded as usual.
    pending = rest
    start = 0
    return key
  }
}

extension KeyDecoder {
  /// The decoding of the first of some bytes.
  enum Step: Equatable {
    case keys([Key], length: Int)
    case pasteBegins(length: Int)
    case needsMore
  }

  private static func next(
    in bytes: ArraySlice<UInt8>, known: [[UInt8]: Key], isComplete: Bool
  ) -> Step {
    guard let first = bytes.first else { return .needsMore }
    switch first {
    case 0x1b: return escape(bytes, known: known, isComplete: isComplete)
    case 0x0d, 0x0a: return .keys([.enter], length: 1)
    case 0x09: return .keys([.tab], length: 1)
    case 0x08, 0x7f: return .keys([.backspace], length: 1)
    case 0x00: return .keys([.control(" ")], length: 1)
    case 0x01...0x1a: return .keys([.control(Character(Unicode.Scalar(first + 0x60)))], length: 1)
    case 0x1c...0x1f: return .keys([.control(Character(Unicode.Scalar(first + 0x40)))], length: 1)
    default: return text(bytes, isComplete: isComplete)
    }
  }

  private static func escape(
    _ bytes: ArraySlice<UInt8>, known: [[UInt8]: Key], isComplete: Bool
  ) -> Step {
    if isComplete, bytes.count == 1 { return .keys([.escape], length: 1) }
    for length in stride(from: bytes.count, to: 1, by: -1) where length <= longestSequence {
      if let key = known[Array(bytes.prefix(length))] { return .keys([key], length: length) }
    }
    let rest = bytes.dropFirst()
    guard let second = rest.first else { return .needsMore }
    switch second {
    case UInt8(ascii: "["):
      if isComplete, rest.count == 1 { return .keys([.alt("[")], length: 2) }
      return controlSequence(bytes)
    case UInt8(ascii: "]"):
      if isComplete, rest.count == 1 { return .keys([.alt("]")], length: 2) }
      return operatingSystemCommand(bytes)
    case UInt8(ascii: "O"):
      if isComplete, rest.count == 1 { return .keys([.alt("O")], length: 2) }
      return singleShift(bytes)
    case 0x0d, 0x0a: return .keys([.altEnter], length: 2)
    case 0x7f, 0x08: return .keys([.control("w")], length: 2)
    // Another Escape, or Alt with a key that starts with one: the first stands alone.
    case 0x00...0x1f: return .keys([.escape], length: 1)
    default:
      switch text(rest.prefix(4), isComplete: isComplete, onlyFirst: true) {
      case .keys(let keys, let length):
        guard case .character(let character)? = keys.first else {
          return .keys([], length: length + 1)
        }
        return .keys([.alt(character)], length: length + 1)
      default: return .needsMore
      }
    }
  }

  /// A run of text: marks combine with the preceding character if they arrive together with it.
  private static func text(
    _ bytes: ArraySlice<UInt8>, isComplete: Bool, onlyFirst: Bool = false
  ) -> Step {
    var scalars = String.UnicodeScalarView()
    var length = 0
    var decoder = UTF8Run(bytes)
    while let (scalar, end) = decoder.next() {
      length = end
      // Bytes that aren't UTF-8, and C1 controls, aren't keys.
      if let scalar, scalar.value >= 0xa0 || (0x20..<0x7f).contains(scalar.value) {
        scalars.append(scalar)
        if onlyFirst { break }
      }
    }
    if length == 0 { return isComplete ? .keys([], length: bytes.count) : .needsMore }
    return .keys(String(scalars).map { .character($0) }, length: length)
  }
}
