/// The version of the program, wherever it is shown.
package enum ProgramVersion {
  package static let text = "0.1.0"

  /// With the name of the program.
  package static let line = "livequery \(text)"

  /// Without the number of the fix.
  static var short: String {
    text.split(separator: ".").prefix(2).joined(separator: ".")
  }
}
