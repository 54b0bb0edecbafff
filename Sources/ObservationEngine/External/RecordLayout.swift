/// How the rows of a table are stored: which value of a record belongs to which column.
///
/// Source: https://www.sqlite.org/fileformat2.html#record_format
struct RecordLayout {
  /// A column that is stored.
  struct Column: Equatable {
    let name: String
    /// As ``Region`` has it.
    let foldedName: String
    /// Whole numbers are stored as integers, and read as reals.
    var isReal = false
    /// What a row has that is older than the column; `nil` when that isn't known.
    var whenMissing: Value? = .null
  }

  /// The stored columns, in declared order.
  let columns: [Column]
  /// The columns that are computed when they are read, folded: a record has none of them.
  var computedColumns: Set<String> = []
  /// By what they can be computed; `nil` when there are none, or when they aren't.
  var computed: ComputedColumns.Declaration?
  /// The place among the columns of each value in a record.
  let fields: [Int]
  /// The column that is the rowid; its value in records is NULL.
  var rowidColumn: Int?
  /// The columns of the key, in declared order; `nil` for a table with rowids.
  var key: [Int]?
  let encoding: TextEncoding

  enum TextEncoding: UInt32 {
    case utf8 = 1
    case utf16LittleEndian = 2
    case utf16BigEndian = 3
  }
}

// MARK: - Decoding

extension RecordLayout {
  /// The values of a row, in declared order.
  ///
  /// - Throws: ``RowsUnknown`` when the record isn't sound, or older than a column of unknown default.
  func values(rowid: Int64, _ payload: [UInt8]) throws(RowsUnknown) -> [Value] {
    var values = [Value?](repeating: nil, count: columns.count)
    let isSound = payload.withUnsafeBytes { bytes in
      var record = RecordReader(bytes)
      for field in fields {
        guard let content = record.next() else { break }
        let isReal = columns[field].isReal
        values[field] = content.value(encoding: encoding, isReal: isReal)
      }
      return record.isSound
    }
    guard isSound else { throw RowsUnknown(reason: "a row cannot be read") }
    if let rowidColumn { values[rowidColumn] = .integer(rowid) }
    var row: [Value] = []
    row.reserveCapacity(columns.count)
    for (value, column) in zip(values, columns) {
      guard let value = value ?? column.whenMissing else {
        throw RowsUnknown(reason: "a row is older than the column \(column.name)")
      }
      row.append(value)
    }
    return row
  }

  /// What identifies a row.
  func key(rowid: Int64, _ values: [Value]) -> RowChange.Key {
    guard let key else { return .rowid(rowid) }
    return .primaryKey(key.map { values[$0] })
  }
}

/// Reads the values of a record one after the other, and never leaves it.
private struct RecordReader {
  /// A value as it is stored.
  struct Content {
    let type: UInt64
    let bytes: UnsafeRawBufferPointer
  }

  private let bytes: UnsafeRawBufferPointer
  private var header: Int
  private let headerEnd: Int
  private var body: Int
  private(set) var isSound = true

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    header = 0
    guard let size = bytes.varint(at: &header, end: bytes.count), size <= UInt64(bytes.count),
      size >= UInt64(header)
    else {
      headerEnd = 0
      body = 0
      isSound = false
      return
    }
    headerEnd = Int(size)
    body = Int(size)
  }

  /// The next value; `nil` at the end, and where the record isn't sound.
  mutating func next() -> Content? {
    guard isSound, header < headerEnd else { return nil }
    guard let type = bytes.varint(at: &header, end: headerEnd), type != 10, type != 11,
      let count = Self.count(of: type), count <= bytes.count - body
    else {
      isSound = false
      return nil
    }
    defer { body += count }
    return Content(type: type, bytes: UnsafeRawBufferPointer(rebasing: bytes[body..<body + count]))
  }

  private static func count(of type: UInt64) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    default: Int(exactly: (type - 12) / 2)
    }
  }
}

extension RecordReader.Content {
  func value(encoding: RecordLayout.TextEncoding, isReal: Bool) -> Value {
    switch type {
    case 0: return .null
    case 7:
      let number = Double(bitPattern: UInt64(bitPattern: integer))
      return number.isNaN ? .null : .real(number)
    case 1...6: return isReal ? .real(Double(integer)) : .integer(integer)
    case 8, 9: return isReal ? .real(Double(type - 8)) : .integer(Int64(type - 8))
    case _ where type % 2 == 0: return .blob(Array(bytes))
    default:
      switch encoding {
      case .utf8: return .text(String(decoding: bytes, as: UTF8.self))
      case .utf16LittleEndian: return .text(Self.text(bytes) { UInt32($1) << 8 | UInt32($0) })
      case .utf16BigEndian: return .text(Self.text(bytes) { UInt32($0) << 8 | UInt32($1) })
      }
    }
  }

  /// The most significant byte comes first, and has the sign.
  private var integer: Int64 {
    var value: Int64 = bytes.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
    for byte in bytes { value = value << 8 | Int64(byte) }
    return value
  }

  /// Translates UTF-16 as SQLite does, so that a text which is not valid reads the same: what follows a
  /// surrogate counts as the second half of a pair, whatever it is.
  ///
  /// Source: `READ_UTF16LE` and `WRITE_UTF8` in SQLite's utf.c
  private static func text(
    _ bytes: UnsafeRawBufferPointer, _ unit: (UInt8, UInt8) -> UInt32
  ) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    let end = bytes.count & ~1
    var place = 0
    while place < end {
      var code = unit(bytes[place], bytes[place + 1])
      place += 2
      if (0xd800..<0xe000).contains(code), place < end {
        let second = unit(bytes[place], bytes[place + 1])
        place += 2
        code = (second & 0x3ff) + ((code & 0x3f) << 10) + (((code & 0x3c0) + 0x40) << 10)
      }
      switch code {
      case ..<0x80: output.append(UInt8(code))
      case ..<0x800: output += [0xc0 + UInt8(code >> 6 & 0x1f), 0x80 + UInt8(code & 0x3f)]
      case ..<0x10000:
        output += [
          0xe0 + UInt8(code >> 12 & 0x0f), 0x80 + UInt8(code >> 6 & 0x3f),
          0x80 + UInt8(code & 0x3f),
        ]
      default:
        output += [
          0xf0 + UInt8(code >> 18 & 0x07), 0x80 + UInt8(code >> 12 & 0x3f),
          0x80 + UInt8(code >> 6 & 0x3f), 0x80 + UInt8(code & 0x3f),
        ]
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
