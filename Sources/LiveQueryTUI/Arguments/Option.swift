import Dashboard
import ObservationEngine

/// An option of the command line: everything about it, said once.
///
/// ``allCases`` drives the parser, the completions of shells and the configuration file; tests
/// compare `--help` and the manual with it. What the option changes is a property of ``Arguments``.
struct Option: Sendable, CaseIterable {
  /// Changes the arguments; `name` is the option as it was written, for messages.
  typealias Apply =
    @Sendable (_ arguments: inout Arguments, _ value: String, _ name: String)
    throws(ArgumentError) -> Void

  /// How the configuration file sets it.
  struct Setting: Sendable {
    /// The key, if it isn't the option's name.
    var key: String?
    /// What the key does, if not what the option does.
    var summary: String?
    /// Whether `on` is what holds without the option.
    var isInverse = false
    /// The order in which keys are printed.
    let place: Int
    /// The value in effect; nil for the default.
    let text: @Sendable (Arguments) -> String?

    init(
      _ key: String? = nil, _ summary: String? = nil, isInverse: Bool = false, place: Int,
      text: @escaping @Sendable (Arguments) -> String?
    ) {
      self.key = key
      self.summary = summary
      self.isInverse = isInverse
      self.place = place
      self.text = text
    }
  }

  /// The long name, without dashes.
  let rawValue: String
  /// The one-letter form.
  let letter: Character?
  /// The name of the option's value; nil for an option without one.
  let valueName: String?
  /// What it does, in a few words: for completions and the printed configuration.
  let summary: String
  /// nil when the configuration file can't set it.
  let setting: Setting?
  let apply: Apply

  init(
    _ name: String, letter: Character? = nil, value: String? = nil, _ summary: String,
    setting: Setting? = nil, apply: @escaping Apply
  ) {
    rawValue = name
    self.letter = letter
    valueName = value
    self.summary = summary
    self.setting = setting
    self.apply = apply
  }

  init?(rawValue: String) {
    guard let option = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = option
  }

  init?(letter: Character) {
    guard let option = Self.allCases.first(where: { $0.letter == letter }) else { return nil }
    self = option
  }

  // MARK: - Values as text

  /// The words of a type, for ``valueName``.
  static func words<Word: RawRepresentable<String> & CaseIterable>(
    _ type: Word.Type
  ) -> String { type.allCases.map(\.rawValue).joined(separator: "|") }

  /// What the configuration file says for a time.
  @Sendable static func milliseconds(_ duration: Duration?) -> String? {
    duration.map { String($0.nanoseconds / 1_000_000) }
  }

  @Sendable static func seconds(_ duration: Duration?) -> String? {
    duration.map { seconds in
      let number = Double(seconds.nanoseconds) / 1e9
      return number == number.rounded() ? String(Int(number)) : number.description
    }
  }
}
