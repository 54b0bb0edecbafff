/// Numbers as columns one cell wide, precise to an eighth of a row: a sparkline of any height.
enum ColumnsView {
  /// Draws one column per number, the newest to the right.
  ///
  /// - Parameter range: The values of the lowest and the highest level.
  static func draw(
    _ numbers: [Double], range: ClosedRange<Double>, in area: Rect, role: Style.Role,
    on canvas: inout Canvas
  ) {
    guard area.height > 0 else { return }
    let shown = numbers.suffix(area.width)
    let levels = canvas.symbols.levels
    let units = area.height * levels.count
    let length = range.upperBound / 2 - range.lowerBound / 2
    for (offset, number) in shown.enumerated() where number.isFinite {
      let share = length > 0 ? (number / 2 - range.lowerBound / 2) / length : 0.5
      // The smallest number is visible as well.
      var rest = max(1, Int((min(max(share, 0), 1) * Double(units)).rounded()))
      let x = area.x + area.width - shown.count + offset
      var y = area.y + area.height - 1
      while rest > 0 {
        var style = Style(role)
        if role == .bar { style.tint = Tint(.glow, row: y - area.y, of: area.height) }
        canvas.put(levels[min(rest, levels.count) - 1], x: x, y: y, style)
        rest -= levels.count
        y -= 1
      }
    }
  }

  /// The scale for a column of numbers: from zero, unless all are far from it.
  static func range(
    of numbers: [Double], minimum: Double?, maximum: Double?
  ) -> ClosedRange<Double>? {
    let finite = numbers.filter(\.isFinite)
    guard let least = finite.min(), let greatest = finite.max() else { return nil }
    let low = minimum ?? (least >= 0 && least < greatest / 2 ? 0 : least)
    return low...max(low, maximum ?? greatest)
  }

  /// At most `count` numbers: the greatest of each bucket, so that no peak is lost.
  static func reduced(_ numbers: [Double], to count: Int) -> [Double] {
    guard count > 0, numbers.count > count else { return numbers }
    return (0..<count).map { index in
      let stretch = numbers[index * numbers.count / count..<(index + 1) * numbers.count / count]
      return stretch.filter { !$0.isNaN }.max() ?? .nan
    }
  }
}
