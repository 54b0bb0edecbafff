/// Neighbouring frames share the line between them.
///
/// Panes are laid out as tiles that don't overlap. The frame of a tile reaches into the first
/// column and row of its neighbours to the right and below: both frames have that line. A click on
/// it belongs to the neighbour, which has its title there.
struct SharedLines: Sendable, Equatable {
  private var tiles: [Rect: Rect] = [:]
  private var frames: [Rect: Rect] = [:]

  /// No tiles: a frame is its own.
  init() {}

  /// - Complexity: O(tiles²).
  init(_ tiles: [Rect]) {
    for tile in tiles {
      let right = tiles.contains { $0.x == tile.columns.upperBound && $0.rows.overlaps(tile.rows) }
      let below = tiles.contains {
        $0.y == tile.rows.upperBound && $0.columns.overlaps(tile.columns)
      }
      let frame = Rect(
        x: tile.x, y: tile.y, width: tile.width + (right ? 1 : 0),
        height: tile.height + (below ? 1 : 0))
      self.tiles[frame] = tile
      frames[tile] = frame
    }
  }

  /// The frame of a tile.
  func frame(_ tile: Rect) -> Rect { frames[tile] ?? tile }

  /// The tile of a frame.
  func tile(_ frame: Rect) -> Rect { tiles[frame] ?? frame }
}
