import ObservationEngine
import TestSupport
import Testing

/// Moments as SQLite values.
struct DateFormatTests {
  @Test(arguments: [
    (0, "1970-01-01 00:00:00.000"), (1_714_979_289_123_000, "2024-05-06 07:08:09.123"),
    (-1, "1969-12-31 23:59:59.999"), (951_782_400_000_000, "2000-02-29 00:00:00.000"),
    (-62_167_219_200_000_000, "0000-01-01 00:00:00.000"),
    (253_402_300_799_999_999, "9999-12-31 23:59:59.999"),
  ])
  func `text is written in UTC to the millisecond`(_ microseconds: Int64, _ text: String) throws {
    let moment = Timestamp(microseconds: microseconds)
    #expect(try DateFormat.iso8601.value(of: moment) == .text(text))
    let read = try #require(DateFormat.iso8601.moment(of: .text(text)))
    #expect(read.microseconds == microseconds.flooredToMilliseconds)
  }

  @Test(arguments: [
    "2024-05-06 07:08:09.123456", "2024-05-06T07:08:09.123456Z", "2024-05-06t07:08:09.1234567z",
    "2024-05-06 09:08:09.123456+02:00", "2024-05-06T01:38:09.123456-0530",
  ])
  func `text is read in all forms of ISO 8601 that SQLite knows, and with offsets`(_ text: String) {
    #expect(DateFormat.iso8601.moment(of: .text(text))?.microseconds == 1_714_979_289_123_456)
  }

  @Test(arguments: [
    "", "x", "2024", "2024-13-01", "2024-02-30", "2023-02-29", "2024-05-06 24:00", "2024-05-06 07",
    "2024-05-06 07:60", "2024-05-06 07:08:60", "2024-05-06 07:08:09.", "2024-05-06 07:08 x",
    "24-05-06", "2024-05-06 07:08:09+1", "99999-01-01", "2024-05-06 ",
  ])
  func `text that is no moment is none`(_ text: String) {
    #expect(DateFormat.iso8601.moment(of: .text(text)) == nil)
  }

  @Test
  func `SQLite's own functions agree, at random moments`() throws {
    var random = SeededRandom(seed: 20_261_120)
    let database = try Database(inMemory: Configuration())
    try database.readWaiting { db throws in
      for _ in 0..<500 {
        let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
        let milliseconds = Int64.random(in: range, using: &random)
        let moment = Timestamp(microseconds: milliseconds * 1_000)
        let text = try DateFormat.iso8601.value(of: moment)
        let days = try DateFormat.julianDay.value(of: moment)
        let told = try db.fetchAll(
          "SELECT strftime('%Y-%m-%d %H:%M:%f', ?), CAST(strftime('%s', ?) AS INT), julianday(?)",
          [text, text, text]
        ).rows[0]
        #expect(told[0] == text, "seed 20261120")
        #expect(told[1] == (try DateFormat.unixSeconds.value(of: moment)))
        guard case .real(let a) = told[2], case .real(let b) = days else {
          throw Unexpected("no days at \(text)")
        }
        #expect(abs(a - b) * 86_400_000 < 0.5)
      }
    }
  }

  @Test
  func `numbers are read in the unit of the format`() throws {
    let moment = Timestamp(microseconds: 1_714_979_289_123_000)
    #expect(try DateFormat.unixSeconds.value(of: moment) == 1_714_979_289)
    #expect(try DateFormat.unixSeconds.value(of: Timestamp(microseconds: -1)) == -1)
    #expect(DateFormat.unixSeconds.moment(of: .real(1.5))?.microseconds == 1_500_000)
    #expect(try DateFormat.unixMilliseconds.value(of: moment) == 1_714_979_289_123)
    #expect(DateFormat.unixMilliseconds.moment(of: 1_714_979_289_123) == moment)
    let days = try DateFormat.julianDay.value(of: moment)
    let read = try #require(DateFormat.julianDay.moment(of: days))
    #expect(abs(read.microseconds - moment.microseconds) < 100)
    #expect(DateFormat.unixSeconds.moment(of: .null) == nil)
    #expect(DateFormat.unixSeconds.moment(of: .blob([1])) == nil)
    #expect(DateFormat.unixSeconds.moment(of: .integer(.max)) == nil)
    #expect(DateFormat.julianDay.moment(of: .real(.infinity)) == nil)
    let custom = DateFormat.custom(
      encode: { .blob([UInt8($0.microseconds)]) },
      decode: { value in
        if case .blob(let bytes) = value { Timestamp(microseconds: Int64(bytes[0])) } else { nil }
      })
    #expect(try custom.value(of: Timestamp(microseconds: 7)) == .blob([7]))
    #expect(custom.moment(of: .blob([7]))?.microseconds == 7)
  }

  @Test
  func `a year that the text has no room for is an error`() {
    let late = Timestamp(microseconds: 253_402_300_800_000_000)
    let error = #expect(throws: DatabaseError.self) { try DateFormat.iso8601.value(of: late) }
    #expect(error?.code == .mismatch)
  }
}

extension Int64 {
  fileprivate var flooredToMilliseconds: Int64 {
    let rest = self % 1_000
    return self - (rest < 0 ? rest + 1_000 : rest)
  }
}
