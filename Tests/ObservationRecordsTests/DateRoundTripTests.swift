import FoundationEssentials
import ObservationEngine
import ObservationRecords
import TestSupport
import Testing

/// A `Date` is seconds from 2001, and a stored date is a text or a number: one is made of the other, over and over.
struct DateRoundTripTests {
  /// The years 0 to 9999 in microseconds from 1970.
  private static let years: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

  /// Moments in all these years, and more of them around 1970, 2001 and the ends.
  private func moments() -> (seed: UInt64, [Timestamp]) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var moments = [Self.years.lowerBound, Self.years.upperBound, 0, -1, 978_307_200_000_000]
    for _ in 0..<4_000 { moments.append(Int64.random(in: Self.years, using: &random)) }
    for center in [Self.years.lowerBound, 0, 978_307_200_000_000, Self.years.upperBound] {
      for exponent in 0..<58 {
        let distance = Int64.random(in: 0...(1 << exponent), using: &random)
        moments += [center &+ distance, center &- distance]
      }
    }
    return (seed, moments.filter(Self.years.contains).map(Timestamp.init(microseconds:)))
  }

  private static let formats: [(name: String, format: DateFormat)] = [
    ("iso8601", .iso8601), ("unixSeconds", .unixSeconds), ("unixMilliseconds", .unixMilliseconds),
    ("julianDay", .julianDay),
    (
      "custom milliseconds",
      .custom(
        encode: { .integer($0.microseconds / 1_000) },
        decode: { Int64.fromValue($0).map { Timestamp(microseconds: $0 * 1_000) } })
    ),
  ]

  @Test(arguments: formats.indices)
  func `what is read and written back is what was stored`(_ index: Int) throws {
    let format = Self.formats[index].format
    let (seed, moments) = moments()
    for moment in moments {
      let stored = try format.value(of: moment)
      let date = try #require(Date.fromValue(stored, in: format))
      let again = try date.value(format)
      guard again == stored else {
        Issue.record("\(Self.formats[index].name): \(stored) became \(again), seed \(seed)")
        return
      }
    }
  }

  @Test
  func `a moment is a date to the microsecond as long as dates are that exact`() throws {
    let (seed, moments) = moments()
    let micro = DateFormat.custom(
      encode: { .integer($0.microseconds) },
      decode: { Int64.fromValue($0).map(Timestamp.init(microseconds:)) })
    for moment in moments {
      let date = try #require(Date.fromValue(.date(moment)))
      let again = try #require(Int64.fromValue(try date.value(micro)))
      // To 2^31 seconds from 2001 a date is exact to the microsecond, and in the year 9999 to 31 of them.
      let isExact = abs(moment.microseconds - 978_307_200_000_000) < 2_147_483_648_000_000
      let difference = abs(again - moment.microseconds)
      #expect(difference <= (isExact ? 0 : 31), "\(moment.microseconds), seed \(seed)")
      #expect(Date.fromValue(.date(Timestamp(microseconds: again))) == date, "seed \(seed)")
    }
  }

  @Test
  func `a date of seconds since 1970 is read as it was written`() throws {
    for seconds in [1_714_979_289.123, 0.001, -0.001, -3_800_000_000.628, 64_092_211_200.123, 1e9] {
      let date = Date(timeIntervalSince1970: seconds)
      for format in [DateFormat.iso8601, .unixMilliseconds] {
        #expect(Date.fromValue(try date.value(format), in: format) == date, "\(seconds)")
      }
    }
  }

  @Test
  func `a date is stored rounded towards the past, and one that is too far away is refused`() throws
  {
    let date = Date(timeIntervalSince1970: 1_714_979_289.123_999)
    #expect(try date.value(.iso8601) == "2024-05-06 07:08:09.123")
    #expect(try Date(timeIntervalSince1970: -0.000_001).value(.unixSeconds) == -1)
    for seconds in [1e300, -1e300, 9.3e12, -9.3e12, .infinity, -.infinity, .nan] {
      let error = #expect(throws: DatabaseError.self) {
        try Date(timeIntervalSince1970: seconds).value(.unixSeconds)
      }
      #expect(error?.code == .mismatch)
    }
    for seconds in [9.2e12, -9.2e12] {
      #expect(
        try Date(timeIntervalSince1970: seconds).value(.unixSeconds) == .integer(Int64(seconds)))
    }
  }
}
