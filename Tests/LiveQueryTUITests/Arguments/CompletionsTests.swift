import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct CompletionsTests {
  @Test(arguments: Completions.Shell.allCases)
  func `each shell learns every option`(_ shell: Completions.Shell) async throws {
    let result = try await LiveQuery.run("--completions", shell.rawValue)
    #expect(result.status == 0)
    for option in Option.allCases {
      let name = shell == .fish ? "-l \(option.rawValue)" : "--\(option.rawValue)"
      #expect(result.output.contains(name), "\(option)")
    }
  }

  @Test func `a shell that is not known is refused with the ones that are`() async throws {
    let result = try await LiveQuery.run("--completions", "basch")
    #expect(result.status == 2)
    #expect(result.errors.contains("expected bash, zsh, fish, did you mean \"bash\"?"))
  }

  /// What bash offers when the person presses Tab behind these words.
  private func offers(_ words: [String], in folder: TemporaryFolder? = nil) async throws -> [String]
  {
    let script = Completions.script(for: .bash)
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    let result = try await RunningProgram.run([
      "bash", "--norc", "-c",
      // compopt works within a completion alone; what it sets does not matter here.
      "compopt() { :; }; \(script)\nCOMP_WORDS=(livequery \(line)); "
        + "COMP_CWORD=\(words.count); _livequery; printf '%s\\n' \"${COMPREPLY[@]}\"",
    ])
    #expect(result.errors == "")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func `bash completes options and their values`() async throws {
    #expect(try await offers(["--pre"]) == ["--preset"])
    #expect(try await offers(["--theme", "h"]) == ["high-contrast"])
    #expect(try await offers(["--color", ""]) == ["auto", "always", "never"])
    #expect(try await offers(["--color", "=", "n"]) == ["never"])
    #expect(try await offers(["--count", ""]) == [])
    #expect(Set(try await offers(["-"])).isSuperset(of: ["-c", "--command", "--help"]))
  }

  @Test func `bash knows the panels and presets of the dashboard on the line`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "-- preset: ops fame\n\n-- name: fame\nSELECT 1;\n-- name: four\nSELECT 2;\n", to: "d.sql")
    #expect(try await offers([file, "--panel", "f"]) == ["fame", "four"])
    #expect(try await offers([file, "--preset", ""]) == ["ops"])
  }

  @Test func `bash completes files elsewhere`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "arena.sql")
    #expect(try await offers([folder.path("ar")]) == [file])
    #expect(try await offers(["-f", folder.path("ar")]) == [file])
  }
}
