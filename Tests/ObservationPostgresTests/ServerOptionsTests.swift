import ObservationEngine
import TestSupport
import Testing

@testable import ObservationPostgres

@Suite struct ServerOptionsTests {
  @Test(
    arguments: [
      (nil, "-c a=1"), ("-c b=2", "-c b=2 -c a=1"), (#"-c b=x\ y"#, #"-c b=x\ y -c a=1"#),
      // It would make the blank behind it a part of the word.
      (#"-c b=x\"#, "-c b=x -c a=1"), (#"-c b=x\\"#, #"-c b=x\\ -c a=1"#),
      (#"-c b=x\\\"#, #"-c b=x\\ -c a=1"#), (#"\"#, " -c a=1"),
    ] as [(String?, String)])
  func `the program's options come behind those of the user`(_ given: String?, _ all: String) {
    #expect(ServerAddress.joined(given, "-c a=1") == all)
  }

  @Test(.needsPostgres)
  func `the options of an address stay, and so do the limits of the program`() async throws {
    try PostgresLibrary.load()
    let server = try await PostgresServer.shared()
    let limits: [(ServerConnection.Purpose, [String])] = [
      (.walStream, ["wal_sender_timeout"]), (.notifications, ["idle_session_timeout"]),
      (.slotStream, ["wal_sender_timeout", "idle_session_timeout"]), (.panels, []), (.console, []),
    ]
    let words = "search_path=shop wal_sender_timeout=0 idle_session_timeout=0".split(separator: " ")
    let given = words.map { "-c \($0)" }.joined(separator: " ")
    let encoded = words.map { "-c%20" + $0.split(separator: "=").joined(separator: "%3D") }
      .joined(separator: "%20")
    for text in [
      server.ownDatabase.address() + "&options=" + encoded,
      "host=\(server.folder) user=postgres dbname=postgres options='\(given)'",
    ] {
      let address = try #require(ServerAddress(text))
      #expect(address.options == given)
      for (purpose, settings) in limits {
        let deadline = SystemClock.monotonic() + 30_000_000_000
        let connection = try ServerConnection(address, purpose, deadline: deadline)
        func shown(_ setting: String) throws -> String? {
          try connection.run(simple: "SHOW \(setting)", deadline: deadline).text(0)
        }
        #expect(try shown("search_path") == "shop", "\(purpose)")
        for setting in settings { #expect(try shown(setting) == "5s", "\(purpose) \(setting)") }
      }
    }
    let plain = try #require(ServerAddress(server.ownDatabase.address()))
    #expect(plain.options == nil)
  }
}
