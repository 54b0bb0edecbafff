/// Which keys do what: those of ``Binding``, unless the user chose others.
package struct KeyMap: Sendable, Equatable {
  /// A choice that cannot hold, with the setting at fault.
  package struct Conflict: Error, Sendable, Equatable {
    /// The name of the setting.
    package let name: String
    /// What is wrong, and what to do.
    package let message: String
  }

  /// The user's choices, by name.
  package private(set) var choices: [String: [Key]] = [:]
  /// The places in ``Binding/all`` of those that a key may have.
  private var places: [Key: [Int]] = [:]

  /// The keys that apply without a choice of the user.
  package static let standard = KeyMap([:])

  /// The names of the bindings whose keys can be chosen, in order.
  package static let names: [String] = {
    var names: [String] = []
    for binding in Binding.all where binding.isAdjustable && !names.contains(binding.name) {
      names.append(binding.name)
    }
    return names
  }()

  private init(_ choices: [String: [Key]]) {
    self.choices = choices
    places.reserveCapacity(Binding.all.count)
    for (place, binding) in Binding.all.enumerated() {
      for key in keys(of: binding) { places[key, default: []].append(place) }
    }
  }

  package static func == (left: KeyMap, right: KeyMap) -> Bool { left.choices == right.choices }

  /// The keys of all bindings of this name, the usual one first.
  package func keys(named name: String) -> [Key] {
    Binding.all.first { $0.name == name }.map { keys(of: $0) } ?? []
  }

  func keys(of binding: Binding) -> [Key] {
    binding.isAdjustable ? choices[binding.name] ?? binding.keys : binding.keys
  }

  /// The keys in a list of commands: the first one, or `1-9`.
  func label(of binding: Binding) -> String {
    let keys = keys(of: binding)
    return keys.count == 9 ? "1-9" : keys.first?.label ?? ""
  }

  /// What the user must press, for a message: the first key of this name, or else its command, or
  /// else the setting that gives it a key.
  func mention(_ name: String) -> String {
    if let key = keys(named: name).first { return key.label }
    return (Binding.commands.contains { $0.name == name } ? ":" : "key.") + name
  }

  /// The bindings that may handle a key, the likeliest first.
  func bindings(_ key: Key, in context: KeyContext) -> [Binding] {
    guard let places = places[key], context != .functions || key.isFunction else { return [] }
    return places.map { Binding.all[$0] }.filter { $0.contexts.contains(context) }
  }

  /// The map with these choices, and those that cannot hold.
  ///
  /// - Parameter settings: The keys for each name, separated by blanks; `none` for no key.
  /// - Complexity: O(bindings²).
  package static func choosing(
    _ settings: [(name: String, keys: String)]
  ) -> (map: KeyMap, conflicts: [Conflict]) {
    var choices: [String: [Key]] = [:]
    var conflicts: [Conflict] = []
    for (name, text) in settings {
      guard names.contains(name) else {
        let hint = Suggestion.phrase(for: name, among: names)
        conflicts.append(Conflict(name: name, message: "nothing is called \"\(name)\"\(hint)"))
        continue
      }
      var keys: [Key] = []
      for word in text == "none" ? [] : text.split(separator: " ") {
        guard let key = Key(label: String(word)) else {
          conflicts.append(
            Conflict(
              name: name,
              message: "\"\(word)\" is not a key: write x, ^x, Alt-x, F5, Enter, Space, PgUp …"))
          continue
        }
        if let same = key.sameByte {
          conflicts.append(
            Conflict(
              name: name,
              message: "\(key.label) is the same key as \(same.label) in a terminal: "
                + "write \(same.label)"))
          continue
        }
        if !keys.contains(key) { keys.append(key) }
      }
      choices[name] = keys
    }
    let map = KeyMap(choices)
    return (map, conflicts + map.collisions(settings.map(\.name)))
  }

  /// The chosen keys that mean something else where they apply.
  private func collisions(_ names: [String]) -> [Conflict] {
    var conflicts: [Conflict] = []
    for name in names {
      for key in choices[name] ?? [] {
        guard let other = Binding.all.first(where: { collides($0, with: name, key) }) else {
          continue
        }
        // Of two settings for one key, the second is at fault.
        if let rival = names.firstIndex(of: other.name), let own = names.firstIndex(of: name),
          own < rival
        {
          continue
        }
        let remedy = other.isAdjustable ? "; give that another key with key.\(other.name)" : ""
        conflicts.append(
          Conflict(
            name: name, message: "\(key.label) already means \"\(other.summary)\"\(remedy)"))
      }
    }
    return conflicts
  }

  private func collides(_ other: Binding, with name: String, _ key: Key) -> Bool {
    guard other.name != name, keys(of: other).contains(key) else { return false }
    let own = Set(
      Binding.all.lazy.filter { $0.name == name }.flatMap(\.contexts)
        .filter { $0 != .functions || key.isFunction })
    let others = Set(other.contexts.filter { $0 != .functions || key.isFunction })
    return own.contains(.always) || others.contains(.always)
      || KeyContext.together.contains { group in
        !own.isDisjoint(with: group) && !others.isDisjoint(with: group)
      }
  }
}

extension Key {
  /// Whether it is one of F1 to F24, which no text has.
  var isFunction: Bool { if case .function = self { true } else { false } }
}
