import ObservationEngine

/// Completion scripts that shells read for this program's options; made from ``Option``.
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

  /// The possible words for an option's value, if they are known.
  private static func words(_ option: Option) -> [String] {
    guard let name = option.valueName, name.contains("|") else { return [] }
    return name.split(separator: "|").map(String.init)
  }

  /// The forms of an option: `-c`, `--command`.
  private static func forms(_ option: Option) -> [String] {
    (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.rawValue)"]
  }

  /// The directive of the names that an option accepts from a dashboard; nil for other options.
  private static func directive(_ option: Option) -> String? {
    switch option.rawValue {
    case "panel": "name"
    case "preset": "preset"
    default: nil
    }
  }

  /// Extracts the names from a dashboard, in a shell where `$1` is their directive.
  private static let namesOfFile =
    #"sed -n "s/^-- *$1: *\([^ ]*\).*/\1/p" -- "$file" 2>/dev/null"#

  /// Text that stands between single quotes.
  private static func quoted(_ text: String) -> String {
    "'\(text.substituting("'\\''", for: "'"))'"
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
          "_livequery_files"
        } else if let directive = directive(option) {
          // The names are in the dashboard, if the line already has one.
          "_livequery_choose \(directive)"
        } else {
          "COMPREPLY=()"
        }
      values += "    \(pattern)) \(action); return ;;\n"
    }
    return """
      # livequery for bash: eval "$(livequery --completions bash)"
      # Removes the quotes of a word without running it.
      _livequery_unquoted() {
        local rest=$1 text= quote= char
        if [[ $rest == "~/"* ]]; then text=$HOME/ rest=${rest:2}; fi
        while [[ -n $rest ]]; do
          char=${rest:0:1} rest=${rest:1}
          case $quote$char in
            "'" | '"') quote=$char ;;
            "''" | '""') quote= ;;
            \\\\ | '"'\\\\) text+=${rest:0:1} rest=${rest:1} ;;
            *) text+=$char ;;
          esac
        done
        printf %s "$text"
      }
      _livequery_names() {
        local word file
        for word in "${COMP_WORDS[@]}"; do
          file=$(_livequery_unquoted "$word")
          case $file in
            *.sql) \(namesOfFile) ;;
          esac
        done
      }
      # Not compgen -W, which would run what a name looks like: a dashboard can be anybody's.
      _livequery_choose() {
        local name
        COMPREPLY=()
        while IFS= read -r name; do
          if [[ $name == "$word"* ]]; then COMPREPLY+=("$(printf %q "$name")"); fi
        done < <(_livequery_names "$1")
      }
      _livequery_files() {
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
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
          _livequery_files
        fi
      }
      complete -F _livequery livequery

      """
  }

  // MARK: zsh

  private static var zsh: String {
    let lines = Option.allCases.map { option in
      let forms = forms(option)
      let isRepeatable = ["command", "param"].contains(option.rawValue)
      // A value may also follow a long form with "=".
      let specifications = forms.map {
        option.valueName != nil && $0.hasPrefix("--") ? $0 + "=" : $0
      }
      let others =
        isRepeatable ? "'*'" : forms.count > 1 ? "'(\(forms.joined(separator: " ")))'" : ""
      let names =
        forms.count == 1 ? specifications[0] : "{\(specifications.joined(separator: ","))}"
      // Brackets and colons have a meaning in the description.
      let summary = option.summary.substituting("(", for: "[").substituting(")", for: "]")
        .substituting("\\:", for: ":")
      return "  \(others)\(names)\(quoted("[\(summary)]\(zshArgument(option))")) \\"
    }
    return """
      #compdef livequery
      # livequery for zsh: livequery --completions zsh > a folder of $fpath/_livequery
      _livequery_names() {
        local file
        local -a names
        for file in ${(Q)words}; do
          if [[ $file == *.sql ]]; then
            names+=(${(f)"$(\(namesOfFile))"})
          fi
        done
        compadd -a names
      }
      _arguments -s -S \\
      \(lines.joined(separator: "\n"))
        '1:database:_files' \\
        '2:dashboard:_files -g "*.sql"' \\
        '*:table: '

      """
  }

  /// The completion of an option's value.
  private static func zshArgument(_ option: Option) -> String {
    guard let value = option.valueName else { return "" }
    if let directive = directive(option) { return ":\(value): _livequery_names \(directive)" }
    if words(option).isEmpty { return ":\(value):\(value == "FILE" ? "_files" : " ")" }
    return ":value:(\(words(option).joined(separator: " ")))"
  }

  // MARK: fish

  private static var fish: String {
    let lines = Option.allCases.map { option in
      var line = "complete -c livequery -l \(option.rawValue)"
      if let letter = option.letter { line += " -s \(letter)" }
      if let value = option.valueName {
        if let directive = directive(option) {
          line += " -x -a '(__livequery_names \(directive))'"
        } else if !words(option).isEmpty {
          line += " -x -a \(quoted(words(option).joined(separator: " ")))"
        } else {
          line += value == "FILE" ? " -r" : " -x"
        }
      }
      return line + " -d \(quoted(option.summary))"
    }
    return """
      # livequery for fish: livequery --completions fish > ~/.config/fish/completions/livequery.fish
      function __livequery_names
        for file in (commandline -opc)
          if string match -q '*.sql' -- $file
            sed -n "s/^-- *$argv[1]: *\\([^ ]*\\).*/\\1/p" -- $file 2>/dev/null
          end
        end
      end
      \(lines.joined(separator: "\n"))

      """
  }
}
