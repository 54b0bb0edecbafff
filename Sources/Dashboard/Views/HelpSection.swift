/// The keys of one pane, or those with the same meaning in all panes.
enum HelpSection: CaseIterable {
  case panel, picture, console, feed, schema, everywhere, marks

  var title: String {
    switch self {
    case .panel: "In a panel with rows"
    case .picture: "In a panel with a chart or number"
    case .console: "In the console"
    case .feed: "In the feed of transactions"
    case .schema: "In the schema"
    case .everywhere: "Anywhere else than in the console"
    case .marks: "Marks"
    }
  }

  var lines: [HelpView.Line] {
    switch self {
    case .panel: Self.panelKeys
    case .picture: Self.pictureKeys
    case .console: Self.consoleKeys
    case .feed: Self.feedKeys
    case .schema: Self.schemaKeys
    case .everywhere: Self.everywhereKeys
    case .marks: Self.marksKeys
    }
  }

  private static let panelKeys: [HelpView.Line] = [
    ("j k  Down Up", "move the cursor by a row"),
    ("h l  Left Right", "show columns further left or right"),
    ("g G  Home End", "first or last row"),
    ("^u ^d  PgUp PgDn", "half a page, a page"),
    ("/", "filter the rows while typing; Esc clears"),
    ("n N", "next or previous row found"),
    ("< >", "choose the columns of a table and their order"),
    ("s S", "sort by the next column; turn the order round"),
    ("Enter", "inspect the row: every column, in full"),
    ("x", "export the panel to a file: CSV, JSON, Markdown"),
    ("y  Y", "copy the row at the cursor; the panel"),
    ("e", "edit the panel's SQL in $VISUAL or $EDITOR"),
  ]

  private static let pictureKeys: [HelpView.Line] = [
    ("Enter", "inspect the values: every column, in full"),
    ("/", "filter the rows that it is drawn from"),
    ("x", "export the panel to a file: CSV, JSON, Markdown"),
    ("y  Y", "copy the first row; the panel"),
    ("e", "edit the panel's SQL in $VISUAL or $EDITOR"),
  ]

  private static let consoleKeys: [HelpView.Line] = [
    ("Enter", "run, when the statement is complete (;)"),
    ("Alt-Enter", "a new line in any case"),
    ("Tab", "take the word that is offered, or offer one"),
    ("Up Down", "the words that are offered; lines, then history"),
    ("^r", "search the history"),
    ("^a ^e  Alt-b Alt-f", "start and end of the line; a word back, forward"),
    ("^w ^u ^k  Alt-d", "cut a word, to the start, to the end, the next word"),
    ("^y", "put in what was cut"),
    ("^o", "look through the last result with a panel's keys"),
    ("PgUp PgDn", "scroll what was run"),
    (":explain :pin :save", "the plan; a live panel; keep it in a file"),
    (":read :undo :redo", "run a file; take a transaction back; do it again"),
    (":help", "all commands"),
    (".tables .schema", "and other habits of sqlite3"),
    ("Ctrl-C", "cancel the running statement, or clear the line"),
    ("Esc", "leave the console"),
  ]

  private static let feedKeys: [HelpView.Line] = [
    ("j k  PgUp PgDn", "scroll to older or newer lines"),
    ("g G", "the newest or the oldest line"),
    ("Enter", "which rows the commit changed, in its tables and panels"),
  ]

  private static let schemaKeys: [HelpView.Line] = [
    ("j k  PgUp PgDn", "move the cursor"),
    ("l h  Right Left", "open a line, close it"),
    ("Enter on a table", "a live panel of its newest rows"),
    ("Enter on a key", "go to the table that it refers to"),
    ("d", "the statement that made it"),
    ("b", "sizes, from the whole file (dbstat)"),
    ("F2  Esc", "leave the schema"),
  ]

  private static let everywhereKeys: [HelpView.Line] = [
    ("Tab  S-Tab", "focus the next or previous pane"),
    ("1-9", "focus the pane with that number"),
    ("z", "zoom: the pane alone"),
    ("p  P", "show the next or previous preset, or page"),
    ("Space", "pause the display, go on"),
    (",  .  0", "step back and forward through kept frames; live again"),
    ("a", "acknowledge the alert shown below"),
    ("r  F5", "recompute every panel now"),
    ("c  i", "the SQL console; Esc leaves it"),
    ("F2", "the schema: tables, columns, keys, indexes, triggers"),
    ("u  U", "undo the last own transaction, redo it, after asking"),
    (":", "a command by its name; Tab completes"),
    ("mouse", "focus, choose a row, sort by a header, scroll, drag"),
    ("Ctrl-Z  Ctrl-L", "suspend, redraw"),
    ("q", "quit"),
  ]

  private static let marksKeys: [HelpView.Line] = [
    ("+  ~  -", "inserted, changed, removed; fades in 3 s")
  ]
}
