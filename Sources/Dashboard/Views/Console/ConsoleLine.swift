/// One line of the console.
struct ConsoleLine {
  var prompt = ""
  var text: String
  var role = Style.Role.text
  var isQuiet = false
  /// What came of the statement, at the right edge.
  var right = ""
  var rightRole = Style.Role.muted
}
