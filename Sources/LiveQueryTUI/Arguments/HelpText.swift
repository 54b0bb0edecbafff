/// The text of `--help` and `--version`.
enum HelpText {
  static let version = "livequery 0.1.0"

  /// It fits a screen of 80x24, with a line left for the next prompt.
  static let help = """
    Usage: livequery [OPTIONS] DATABASE [DASHBOARD.sql]
    Panels of SQL over an SQLite file, fresh a moment after any process commits.

      -c, --command SQL       a panel of this query (repeatable)
      -f, --file FILE         the dashboard; - for standard input
      -p, --preset NAME       its preset               -r, --read-only  no writing
          --param NAME=VALUE  bind :NAME in every panel (repeatable)
          --check             say what is wrong with the dashboard, and exit
          --color WHEN  --theme NAME  --ascii  --no-mouse               appearance
          --config FILE  --print-config  --completions SHELL            set it up
    Printing, instead of a screen:
          --once              each panel once (the default into a file or pipe)
          --stream            one JSON line per changed row, until interrupted
          --table --csv --json --ndjson               the format for --once
      -o, --output FILE       write to FILE           --panel NAME   one panel
          --null TEXT         show NULL as TEXT       --count N      N changes
          --until SQL         wait until SQL is true  --timeout SEC  then give up
          --keys FILE         press keys, then print  --frame WxH    of this size
    Alerts:  --exec CMD  --trust-hooks  --hook-timeout SEC  --fail-on-alert  --bell
    Timing, in ms:  --poll MS  --debounce MS  --busy-timeout MS  --query-timeout MS
    Tape:  --record FILE  --replay FILE  --speed N    Memory:  --memory MB
      -h, --help   -V, --version                      more: man livequery
    Exit: 0 done, 1 SQL error, 2 usage, 3 cannot open or busy, 4 timeout, 5 alert
    """
}
