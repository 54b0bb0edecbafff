/// The keys that apply in the console now, the most useful first.
enum ConsoleHints {
  static func hints(_ console: ConsoleState) -> [(key: String, label: String)] {
    if console.browser != nil {
      return [
        ("/", " filter"), ("s", " sort"), ("Enter", " inspect"), ("Esc", " close"),
        ("<", " columns"), ("x", " export"), ("y", " copy"), ("z", " zoom"), ("h l", " scroll"),
        (":", " command"),
      ]
    }
    if console.parameters != nil {
      return [("Enter", " next"), ("Up", " back"), ("Esc", " do not run")]
    }
    if console.search != nil {
      return [("^r", " older"), ("Enter", " take"), ("Esc", " leave")]
    }
    if console.counted != nil || console.reading != nil {
      return [("Ctrl-C", " do not run"), ("Esc", " panels")]
    }
    if console.runningSince != nil { return [("Ctrl-C", " cancel"), ("Esc", " panels")] }
    if console.completion != nil {
      return [
        ("Tab", " accept"), ("Up Down", " choose"), ("Esc", " dismiss"), ("Enter", " run at ;"),
        ("Alt-Enter", " newline"),
      ]
    }
    return [
      ("Enter", " run at ;"), ("Alt-Enter", " newline"), ("Tab", " complete"), ("Up", " history"),
      ("^r", " search"), ("^o", " result"), ("Esc", " panels"), ("F1", " help"),
    ]
  }
}
