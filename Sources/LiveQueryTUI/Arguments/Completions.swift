/// What a shell reads to complete the options of this program; made from ``Option``.
enum Completions {
  enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
  }

  static func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// The words that an option's value can be, if they are known.
  private static func words(_ option: Option) -> [String] {
    guard let name = option.valueName, name.contains("|") else { return [] }
    return name.split(separator: "|").map(String.init)
  }

  /// The forms of an option: `-c`, `--command`.
  private static func forms(_ option: Option) -> [String] {
    (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.rawValue)"]
  }

  /// Text that stands between single quotes.
  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: "'\\''"))'"
  }

  // MARK: bash

  private static var bash: String {
    let all = Option.allCases.flatMap(forms).joined(separator: " ")
    var values = ""
    for option in Option.allCases where option.valueName != nil {
      let pattern = forms(option).joined(separator: "|")
      let action =
        if !words(option).isEmpty {
          "COMPREPLY=($(compgen -W '\(words(option).joined(separator: " "))' -- \"$word\"))"
        } else if option.valueName == "FILE" {
          "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))"
        } else if option == .panel || option == .preset {
          // The names are in the dashboard, when it stands on the line already.
          "COMPREPLY=($(compgen -W \"$(_livequery_names \(option == .panel ? "name" : "preset"))\" "
            + "-- \"$word\"))"
        } else {
          "COMPREPLY=()"
        }
      values += "    \(pattern)) \(action); return ;;\n"
    }
    return """
      # livequery for bash: eval "$(livequery --completions bash)"
      _livequery_names() {
        local file
        for file in "${COMP_WORDS[@]}"; do
          case $file in
            *.sql) sed -n "s/^-- *$1: *\\\\([^ ]*\\\\).*/\\\\1/p" "$file" 2>/dev/null ;;
          esac
        done
      }
      _livequery() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
        # --option=value comes in three words.
        if [[ $word == = ]]; then word=; fi
        if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
        case $before in
      \(values)  esac
        if [[ $word == -* ]]; then
          COMPREPLY=($(compgen -W '\(all)' -- "$word"))
        else
          compopt -o filenames
          COMPREPLY=($(compgen -f -- "$word"))
        fi
      }
      complete -F _livequery livequery

      """
  }

  // MARK: zsh

  private static var zsh: String {
    let lines = Option.allCases.map { option in
      let forms = forms(option)
      let names =
        forms.count == 1
        ? quoted("\(option == .command || option == .param ? "*" : "")\(forms[0])")
        : "{\(forms.joined(separator: ","))}"
      // Brackets and colons have a meaning in the description.
      let summary = option.summary.replacing("[", with: "(").replacing("]", with: ")")
        .replacing(":", with: "\\:")
      var argument = ""
      if let value = option.valueName {
        let action =
          !words(option).isEmpty
          ? "(\(words(option).joined(separator: " ")))" : value == "FILE" ? "_files" : " "
        argument = ":\(words(option).isEmpty ? value : "value"):\(action)"
      }
      return "  \(names)\(quoted("[\(summary)]\(argument)")) \\"
    }
    return """
      #compdef livequery
      # livequery for zsh: livequery --completions zsh > a folder of $fpath/_livequery
      _arguments -s -S \\
      \(lines.joined(separator: "\n"))
        '1:database:_files' \\
        '2:dashboard:_files -g "*.sql"'

      """
  }

  // MARK: fish

  private static var fish: String {
    let lines = Option.allCases.map { option in
      var line = "complete -c livequery -l \(option.rawValue)"
      if let letter = option.letter { line += " -s \(letter)" }
      if let value = option.valueName {
        if !words(option).isEmpty {
          line += " -x -a \(quoted(words(option).joined(separator: " ")))"
        } else {
          line += value == "FILE" ? " -r" : " -x"
        }
      }
      return line + " -d \(quoted(option.summary))"
    }
    return """
      # livequery for fish: livequery --completions fish > ~/.config/fish/completions/livequery.fish
      \(lines.joined(separator: "\n"))

      """
  }
}
