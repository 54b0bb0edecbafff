/// What the bottom line shows of a binding.
struct KeyHint: Sendable, Equatable {
  /// After the keys, with the blank between them.
  var label: String
  /// For a narrow line.
  var shortLabel: String?
  /// The bindings whose first keys are shown, if not that of the binding alone.
  var names: [String] = []
  /// Shown in place of a key.
  var keys: String?
  /// The order in the line.
  var place: Int
  /// The priority for room: the lowest number comes first.
  var rank: Int

  init(
    _ label: String, short: String? = nil, _ names: [String] = [], keys: String? = nil, place: Int,
    rank: Int = 0
  ) {
    self.label = label
    shortLabel = short
    self.names = names
    self.keys = keys
    self.place = place
    self.rank = rank
  }
}

/// The last line: the keys that apply now.
///
/// They are listed in the usual order of use, but get room by their importance.
enum KeyHints {
  /// A key hint, and its position.
  struct PlacedHint {
    var binding: Binding
    var key: String
    var label: String
    var columns: Range<Int>
  }

  /// The binding whose hint is at a column of the line of hints.
  static func binding(
    atColumn x: Int, _ state: DashboardState, _ layout: ScreenLayout
  ) -> Binding? {
    guard let line = layout.hints else { return nil }
    return placed(state, in: line).first { $0.columns.contains(x) }?.binding
  }

  /// The hints that fit, with their positions.
  ///
  /// - Complexity: O(bindings).
  static func placed(_ state: DashboardState, in line: Rect) -> [PlacedHint] {
    let hints = hints(state)
    let isNarrow = line.width < 90
    let labels = hints.map { isNarrow ? $0.hint.shortLabel ?? $0.hint.label : $0.hint.label }
    let keys = hints.map { Self.keys(of: $0.hint, $0.binding, state.keyMap) }
    let widths = hints.indices.map {
      DisplayText.width(keys[$0] + labels[$0], glyphs: state.glyphs)
    }
    var room = line.width - 1
    var isShown = Array(repeating: false, count: hints.count)
    for index in hints.indices.sorted(by: { hints[$0].hint.rank < hints[$1].hint.rank })
    where widths[index] + 1 <= room {
      isShown[index] = true
      room -= widths[index] + 2
    }
    var x = line.x + 1
    return hints.indices.filter { isShown[$0] }.map { index in
      defer { x += widths[index] + 2 }
      return PlacedHint(
        binding: hints[index].binding, key: keys[index], label: labels[index],
        columns: x..<x + widths[index])
    }
  }

  private static func hints(_ state: DashboardState) -> [(binding: Binding, hint: KeyHint)] {
    let contexts = state.contexts
    var hints: [(binding: Binding, hint: KeyHint)] = []
    for binding in Binding.all {
      guard let context = contexts.last(where: binding.contexts.contains),
        let hint = binding.hint(state, context),
        hint.keys != nil || !state.keyMap.keys(of: binding).isEmpty
      else { continue }
      hints.append((binding, hint))
    }
    return hints.sorted { $0.hint.place < $1.hint.place }
  }

  /// The keys as the line shows them: of several, the first of each.
  private static func keys(of hint: KeyHint, _ binding: Binding, _ map: KeyMap) -> String {
    if let keys = hint.keys { return keys }
    let keys =
      hint.names.isEmpty
      ? map.keys(of: binding).prefix(1) : hint.names.compactMap { map.keys(named: $0).first }[...]
    return keys.map { $0 == .character(" ") ? "Spc" : $0.label }.joined(separator: " ")
  }
}
