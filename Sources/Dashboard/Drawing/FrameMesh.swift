/// The lines of all frames on a screen: where frames share a line or meet, each cell has the
/// character for all of them.
///
///     ╭─┤1├──┲━┫2┣━━┓
///     │      ┃      ┃
///     ├─┤3├──╄━━━━━━┩
struct FrameMesh {
  /// A frame, and how it looks.
  struct Member {
    var frame: Rect
    var isFocused: Bool
    /// The colour of its lines, if not the usual one.
    var role: Style.Role?
  }

  /// What the frames have in one cell.
  private struct Crossing {
    var arms = LineArms()
    var role: Style.Role?
    /// Whether it is in the upper line of a frame, which has that frame's title.
    var isTop = false
  }

  private let size: Size
  private var cells: [Crossing]
  private var frames: [Rect] = []

  /// - Complexity: O(cells + lengths of the frames).
  init(_ members: [Member], size: Size) {
    self.size = size
    cells = Array(repeating: Crossing(), count: size.width * size.height)
    for member in members where member.frame.width >= 2 && member.frame.height >= 2 {
      add(member)
      frames.append(member.frame)
    }
  }

  /// A frame without neighbours.
  init(alone frame: Rect, isFocused: Bool, role: Style.Role?) {
    self.init(
      [Member(frame: frame, isFocused: isFocused, role: role)],
      size: Size(width: frame.x + frame.width, height: frame.y + frame.height))
  }

  /// Whether a frame is one of the mesh.
  func contains(_ frame: Rect) -> Bool { frames.contains(frame) }

  /// The line in a cell of a frame; nil where another frame with its title draws it.
  func line(x: Int, y: Int, of frame: Rect) -> (arms: LineArms, role: Style.Role?)? {
    guard let cell = self[x, y], y == frame.y || !cell.isTop else { return nil }
    return (cell.arms, cell.role)
  }

  /// The line in a cell.
  func arms(x: Int, y: Int) -> LineArms? { self[x, y]?.arms }

  /// Whether the lower line of a frame is also the upper line of others.
  func isShared(bottomOf frame: Rect) -> Bool {
    let y = frame.y + frame.height - 1
    return frames.contains(frame)
      && frame.columns.dropFirst().dropLast().contains { self[$0, y]?.isTop == true }
  }

  private subscript(x: Int, y: Int) -> Crossing? {
    guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return nil }
    return cells[y * size.width + x]
  }

  private mutating func add(_ member: Member) {
    let frame = member.frame
    let right = frame.x + frame.width - 1
    let bottom = frame.y + frame.height - 1
    let weight: LineArms.Weight = member.isFocused ? .heavy : .light
    add(LineArms(down: weight, right: weight), x: frame.x, y: frame.y, member, isTop: true)
    add(LineArms(down: weight, left: weight), x: right, y: frame.y, member, isTop: true)
    add(LineArms(up: weight, right: weight), x: frame.x, y: bottom, member)
    add(LineArms(up: weight, left: weight), x: right, y: bottom, member)
    let horizontal = LineArms(left: weight, right: weight)
    for x in frame.x + 1..<right {
      add(horizontal, x: x, y: frame.y, member, isTop: true)
      add(horizontal, x: x, y: bottom, member)
    }
    let vertical = LineArms(up: weight, down: weight)
    for y in frame.y + 1..<bottom {
      add(vertical, x: frame.x, y: y, member)
      add(vertical, x: right, y: y, member)
    }
  }

  private mutating func add(
    _ arms: LineArms, x: Int, y: Int, _ member: Member, isTop: Bool = false
  ) {
    guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return }
    let place = y * size.width + x
    cells[place].arms.join(arms)
    cells[place].isTop = cells[place].isTop || isTop
    // A colour that says something wins over the focus, and that over none.
    if let role = member.role {
      cells[place].role = role
    } else if member.isFocused, cells[place].role == nil {
      cells[place].role = .focusedBorder
    }
  }
}
