/// Reads what the plugin `test_decoding` writes of transactions.
///
///     BEGIN 812
///     table public.item: INSERT: id[integer]:1
///     table public.a, public."b: c": TRUNCATE: (no-flags)
///     COMMIT 812
///
/// Values are passed over. Pure; whatever it doesn't recognise makes the transaction one whose tables are unknown.
///
/// See https://www.postgresql.org/docs/current/test-decoding.html
struct DecodedTransactions {
  private var open: ReportedTransactions.Ended?

  /// Whether a transaction has begun and not ended.
  var isWithin: Bool { open != nil }

  /// Takes the next message.
  ///
  /// - Parameter position: Where it stands in the log; at the end of a transaction, where that ends.
  /// - Returns: The transaction that ends with it.
  /// - Complexity: O(length of its names).
  mutating func take(_ message: ArraySlice<UInt8>, at position: UInt64)
    -> ReportedTransactions.Ended?
  {
    if let number = Self.number(after: "BEGIN ", message) {
      open = ReportedTransactions.Ended(xid: number, isCommit: true)
    } else if let number = Self.number(after: "COMMIT ", message) {
      var ended = open ?? ReportedTransactions.Ended(xid: number, isCommit: true)
      // Without rows it changed the schema, an unlogged table or nothing; with another number, a message is missing.
      ended.isComplete = ended.isComplete && ended.xid == number && !ended.relations.isEmpty
      (ended.xid, ended.end) = (number, position)
      open = nil
      return ended
    } else if let names = Self.names(message) {
      open?.relations.formUnion(names)
    } else {
      open?.isComplete = false
    }
    return nil
  }

  private static func number(after word: StaticString, _ message: ArraySlice<UInt8>) -> UInt32? {
    let prefix = word.withUTF8Buffer { Array($0) }
    guard message.starts(with: prefix) else { return nil }
    let digits = message.dropFirst(prefix.count).prefix { (0x30...0x39).contains($0) }
    return UInt32(String(decoding: digits, as: UTF8.self))
  }

  /// The tables of a change; nil when it isn't one.
  private static func names(_ message: ArraySlice<UInt8>) -> [ReportedRelation]? {
    guard message.starts(with: "table ".utf8) else { return nil }
    var rest = message.dropFirst(6)
    var names: [ReportedRelation] = []
    while true {
      guard let schema = identifier(&rest), rest.popFirst() == UInt8(ascii: "."),
        let name = identifier(&rest)
      else { return nil }
      names.append(.named(schema: schema, name: name))
      switch rest.popFirst() {
      case UInt8(ascii: ":"): return names
      case UInt8(ascii: ",") where rest.popFirst() == UInt8(ascii: " "): continue
      default: return nil
      }
    }
  }

  /// Takes an identifier, which is quoted where it must be.
  private static func identifier(_ rest: inout ArraySlice<UInt8>) -> String? {
    let quote = UInt8(ascii: "\"")
    guard rest.first == quote else {
      let bytes = rest.prefix {
        ![UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: ",")].contains($0)
      }
      rest = rest.dropFirst(bytes.count)
      return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
    rest = rest.dropFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == quote {
        guard rest.first == quote else { return String(decoding: bytes, as: UTF8.self) }
        rest = rest.dropFirst()
      }
      bytes.append(byte)
    }
    return nil
  }
}
