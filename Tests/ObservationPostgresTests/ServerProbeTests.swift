import Testing

@testable import ObservationPostgres

@Suite
struct ServerProbeTests {
  @Test(
    arguments: [
      ("0", nil), ("250ms", .milliseconds(250)), ("1500ms", .milliseconds(1500)),
      ("30s", .seconds(30)), ("5min", .seconds(300)), ("2h", .seconds(7_200)),
      ("1d", .seconds(86_400)), ("", nil), ("soon", nil), ("9223372036854775807d", nil),
    ] as [(String, Duration?)])
  func `settings of durations are read`(_ text: String, _ duration: Duration?) {
    #expect(ServerProbe.duration(text) == duration)
  }
}
