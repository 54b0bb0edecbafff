import Dashboard
import TestSupport

/// The last screen of a script of keys, as the program prints it.
struct Frame {
  let lines: [String]
  let result: ProgramResult

  /// Presses keys on a copy of the sample, with its dashboard, next to console, feed and schema.
  ///
  /// - Parameter database: Another one than a fresh copy of the sample.
  init(
    _ keys: String = "", size: String = "80x24", options: [String] = [],
    on database: Playground? = nil, dashboard: [String] = [Playground.projectFile("arena.sql")],
    panes: String? = "console,feed,schema"
  ) async throws {
    let playground: Playground
    if let database { playground = database } else { playground = try await .sample() }
    let script = try playground.folder.write(keys, to: "keys")
    result = try await LiveQuery.run(
      ["--keys", script, "--frame", size] + (panes.map { ["--panes", $0] } ?? []) + options
        + [playground.database] + dashboard)
    lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
    guard result.status == 0, result.errors.isEmpty else {
      throw Unexpected("status \(result.status): \(result.errors)")
    }
  }

  var text: String { result.output }

  /// The first line that contains `text`; empty for none.
  func line(with text: String) -> String { lines.first { $0.contains(text) } ?? "" }

  /// Whether some line contains all of these, in this order.
  func shows(_ parts: String...) -> Bool {
    lines.contains { line in
      var rest = line[...]
      return parts.allSatisfy { part in
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
        return true
      }
    }
  }

  /// The columns that each line takes on a terminal.
  var widths: Set<Int> { Set(lines.map { DisplayText.width($0) }) }
}
