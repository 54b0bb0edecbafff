/// A colour between those of several roles, for a number on a scale.
///
/// It only repeats what a length, a place or a number says: a terminal with few colours leaves it
/// out.
package struct Tint: Sendable, Hashable {
  /// The colours from the low end of the scale to the high one.
  package enum Ramp: UInt8, Sendable, CaseIterable {
    /// From faint to bright, without a judgement.
    case glow
    /// Green, amber, red.
    case heat
  }

  /// The greatest level: steps that the eye can hardly tell apart.
  package static let top: UInt8 = 15

  package var ramp: Ramp
  /// From 0 to ``top``.
  package var level: UInt8

  package init(_ ramp: Ramp, level: UInt8) {
    self.ramp = ramp
    self.level = min(level, Self.top)
  }

  /// The colour for a share of the scale, from 0 to 1.
  init(_ ramp: Ramp, share: Double) {
    let share = share.isNaN ? 0 : min(max(share, 0), 1)
    self.init(ramp, level: UInt8((share * Double(Self.top)).rounded()))
  }

  /// The colour of a row of a chart, counted from the top; the middle of the ramp in a single row.
  init(_ ramp: Ramp, row: Int, of height: Int) {
    self.init(ramp, share: height > 1 ? 1 - Double(row) / Double(height - 1) : 0.5)
  }
}
