internal import FoundationEssentials
internal import ObservationEngine

/// Nested values as JSON text: with sorted keys, so that equal objects are equal text, and with
/// dates as text in the form of `DateFormat.iso8601`. A `Set` encodes itself as a list in any order,
/// as does a dictionary with keys other than strings and integers.
enum JSONText {
  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      if case .text(let text) = try date.value(.iso8601) { try container.encode(text) }
    }
    let text = try encoder.encode(value)
    guard !containsNaN(text) else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [], debugDescription: "Decimal.nan can't be stored; store NULL"))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether the text has a NaN, which isn't JSON. JSONEncoder refuses those of `Double`, but writes
  /// those of `Decimal`.
  private static func containsNaN(_ text: Data) -> Bool {
    var isInString = false
    var isEscaped = false
    for byte in text {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
      } else if byte == UInt8(ascii: "N") {
        // Numbers, true, false and null have none.
        return true
      }
    }
    return false
  }

  /// A decoder for the text's outermost value.
  static func decoder(for text: String) throws -> any Decoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard let date = Date.fromValue(.text(text)) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "the text is not a date")
      }
      return date
    }
    return try decoder.decode(Captured.self, from: Data(text.utf8)).decoder
  }

  /// Captures the decoder that decodes it. JSONDecoder allows that: a decoder that outlives the
  /// call gets a copy of the text.
  private struct Captured: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
  }
}
