import Dashboard

/// The options of the command line, by their long names.
enum Option: String, Sendable, CaseIterable {
  case command
  case file
  case readOnly = "read-only"
  case param
  case preset
  case once, stream
  case table, csv, json, ndjson
  case output
  case panel
  case null
  case count
  case until
  case timeout
  case exec
  case hookTimeout = "hook-timeout"
  case trustHooks = "trust-hooks"
  case failOnAlert = "fail-on-alert"
  case bell
  case record
  case replay
  case speed
  case poll
  case debounce
  case busyTimeout = "busy-timeout"
  case queryTimeout = "query-timeout"
  case memory
  case keys
  case frame
  case check
  case color
  case theme
  case ascii
  case noMouse = "no-mouse"
  case config
  case printConfig = "print-config"
  case completions
  case help
  case version

  /// The one-letter form.
  var letter: Character? {
    switch self {
    case .command: "c"
    case .file: "f"
    case .readOnly: "r"
    case .output: "o"
    case .preset: "p"
    case .help: "h"
    case .version: "V"
    default: nil
    }
  }

  /// The name of the option's value; nil for an option without one.
  var valueName: String? {
    switch self {
    case .command, .until: "SQL"
    case .file, .output, .keys, .config, .record, .replay: "FILE"
    case .exec: "CMD"
    case .speed: "N"
    case .param: "NAME=VALUE"
    case .panel, .preset: "NAME"
    case .null: "TEXT"
    case .count: "N"
    case .memory: "MB"
    case .timeout, .hookTimeout: "SEC"
    case .poll, .debounce, .busyTimeout, .queryTimeout: "MS"
    case .frame: "WxH"
    case .color: ColorChoice.allCases.map(\.rawValue).joined(separator: "|")
    case .theme: Theme.allCases.map(\.rawValue).joined(separator: "|")
    case .completions: Completions.Shell.allCases.map(\.rawValue).joined(separator: "|")
    case .readOnly, .once, .stream, .table, .csv, .json, .ndjson, .check, .ascii, .noMouse,
      .printConfig, .trustHooks, .failOnAlert, .bell, .help, .version:
      nil
    }
  }

  init?(letter: Character) {
    guard let option = Self.allCases.first(where: { $0.letter == letter }) else { return nil }
    self = option
  }
}
