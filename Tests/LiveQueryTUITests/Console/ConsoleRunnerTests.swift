import Dashboard
import ObservationEngine
import Testing

@testable import LiveQueryTUI

/// What the console is told of requests.
@Suite struct ConsoleRunnerTests {
  @Test func `whatever keeps a panel from being pinned ends the command`() {
    let panel = PanelDefinition(name: "p", sql: "SELECT 1")
    let errors: [any Error] = [CancellationError(), DatabaseError(code: .error, message: "no")]
    for error in errors {
      guard case .failed(let told, ":pin p") = Session.notPinned(panel, because: error) else {
        Issue.record("it is no failure")
        continue
      }
      #expect(told.message.hasPrefix("not pinned: "))
    }
  }
}
