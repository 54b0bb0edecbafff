import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite(.fewAtOnce) struct CompletionsTests {
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
  private func offers(_ words: [String], home: TemporaryFolder? = nil) async throws -> [String] {
    let script = Completions.script(for: .bash)
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    let result = try await RunningProgram.run([
      "bash", "--norc", "-c",
      // compopt works within a completion alone; what it sets does not matter here.
      "compopt() { :; }; \(home.map { "HOME=\($0.path); " } ?? "")\(script)\nCOMP_WORDS=(livequery \(line)); "
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

  @Test func `bash finds a dashboard whose path is quoted as it was typed`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("-- name: fame\nSELECT 1;\n", to: "my board's.sql")
    let escaped = file.replacing(" ", with: "\\ ").replacing("'", with: "\\'")
    for word in [escaped, "\"\(file)\"", "~/my\\ board\"'\"s.sql"] {
      let quoted = word.replacing("'", with: "'\\''")
      #expect(try await offers([quoted, "--panel", ""], home: folder) == ["fame"], "\(word)")
    }
    // Nothing is run to find that out.
    let made = folder.path("made")
    #expect(try await offers(["$(touch \(made)).sql", "--panel", ""]) == [])
    #expect(!folder.names.contains("made"))
  }

  @Test func `bash runs nothing that a dashboard calls its panels`() async throws {
    let folder = try TemporaryFolder()
    let made = folder.path("made")
    let file = try folder.write(
      "-- name: $(touch${IFS}\(made))\nSELECT 1;\n-- name: `id`\nSELECT 2;\n", to: "d.sql")
    let offered = try await offers([file, "--panel", ""])
    #expect(offered.count == 2)
    #expect(offered.last == "\\`id\\`")
    #expect(!folder.names.contains("made"))
  }

  @Test func `bash completes files elsewhere`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "arena.sql")
    #expect(try await offers([folder.path("ar")]) == [file])
    #expect(try await offers(["-f", folder.path("ar")]) == [file])
  }

  @Test func `bash completes names with blanks whole`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "my data.db")
    #expect(try await offers([folder.path("my")]) == [file])
  }

  /// Whether this shell can be asked.
  private static func has(_ shell: String) async -> Bool {
    (try? await RunningProgram.run([shell, "-c", "exit 0"]).status) == 0
  }

  @Test(.enabled("fish is not installed") { await Self.has("fish") })
  func `fish completes options, their values and the panels on the line`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("-- preset: ops fame\n\n-- name: fame\nSELECT 1;\n", to: "d.sql")
    let script = try folder.write(Completions.script(for: .fish), to: "livequery.fish")
    func offers(_ line: String) async throws -> [String] {
      let result = try await RunningProgram.run(
        ["fish", "--no-config", "-c", "source \(script); complete -C \"livequery \(line)\""],
        environment: ["HOME": folder.path])
      #expect(result.errors == "")
      return result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try await offers("--pre") == ["--preset"])
    #expect(try await offers("--theme h") == ["high-contrast"])
    #expect(try await offers("--count ") == [])
    #expect(try await offers("x.db \(file) --panel ") == ["fame"])
    #expect(try await offers("x.db \(file) -p ") == ["ops"])
  }

  @Test(.enabled("zsh is not installed") { await Self.has("zsh") })
  func `zsh completes options, their values and the panels on the line`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("-- preset: ops fame\n\n-- name: fame\nSELECT 1;\n", to: "d.sql")
    try folder.write(Completions.script(for: .zsh), to: "_livequery")
    // What would be offered is written down by a compadd of our own, in a shell that has a line to edit.
    let script = try folder.write(
      #"""
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u; bindkey '^I' complete-word"
      zpty -w shell 'done_now() { print -r -- "<end>" >> '$1'/offers }; zle -N done_now; bindkey "^X" done_now
      compadd() { if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
        local -a hits; builtin compadd -A hits "$@"; print -rl -- $hits >> '$1'/offers; builtin compadd "$@" }'
      zpty -w -n shell "livequery $2"$'\t\x18'
      for i in {1..600}; do
        zpty -r -t shell line
        if grep -q '<end>' $1/offers 2>/dev/null; then break; fi
        sleep 0.05
      done
      zpty -d shell
      grep -v -e '<end>' -e '^$' $1/offers | sort -u
      : > $1/offers
      """#, to: "ask.zsh")
    func offers(_ line: String) async throws -> [String] {
      let result = try await RunningProgram.run(
        ["zsh", "-f", script, folder.path, line], environment: ["HOME": folder.path])
      return result.output.split(separator: "\n").map(String.init)
    }
    #expect(try await offers("--theme=m") == ["mono"])
    #expect(try await offers("x.db \(file) --panel ") == ["fame"])
    #expect(try await offers("-c 'SELECT 1' --comm") == ["--command"])
  }
}
