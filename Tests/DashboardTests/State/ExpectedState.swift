import Testing

@testable import Dashboard

extension DashboardState {
  /// Expects that keys change the whole state exactly as `change` does, and cause these effects.
  mutating func expect(
    after script: String, effects expected: [Effect] = [],
    at location: SourceLocation = #_sourceLocation, _ change: (inout DashboardState) -> Void
  ) throws {
    var state = self
    change(&state)
    let effects = try press(script)
    #expect(effects == expected, "effects of \(script)", sourceLocation: location)
    expectSame(as: state, "after \(script)", location)
  }

  /// The same for any action.
  mutating func expect(
    after action: Action, effects expected: [Effect] = [],
    at location: SourceLocation = #_sourceLocation, _ change: (inout DashboardState) -> Void
  ) {
    var state = self
    change(&state)
    let effects = reduce(&self, action)
    #expect(effects == expected, sourceLocation: location)
    expectSame(as: state, "after \(action)", location)
  }

  private func expectSame(as state: DashboardState, _ when: String, _ location: SourceLocation) {
    guard self != state else { return }
    let lines = Self.differences("state", state, self)
    Issue.record("\(when): \(lines.joined(separator: "\n"))", sourceLocation: location)
  }

  /// Where two values differ: one line for each part, with what was expected and what is there.
  private static func differences(_ path: String, _ expected: Any, _ actual: Any) -> [String] {
    let (left, right) = (Mirror(reflecting: expected), Mirror(reflecting: actual))
    let (old, new) = (String(reflecting: expected), String(reflecting: actual))
    guard old != new else { return [] }
    let children = zip(left.children, right.children)
    guard left.children.count == right.children.count, !left.children.isEmpty,
      left.displayStyle == right.displayStyle
    else { return ["\(path): expected \(old.prefix(200)), is \(new.prefix(200))"] }
    let lines = children.enumerated().flatMap { index, pair in
      differences(path + "." + (pair.0.label ?? "\(index)"), pair.0.value, pair.1.value)
    }
    return lines.isEmpty ? ["\(path): expected \(old.prefix(200)), is \(new.prefix(200))"] : lines
  }
}
