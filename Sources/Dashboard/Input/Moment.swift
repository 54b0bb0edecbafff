package import ObservationEngine

/// The current time on the caller's clocks: this module has none.
package struct Moment: Sendable, Hashable {
  /// Nanoseconds of a clock that never jumps: for ages and fading.
  package var monotonic: UInt64
  /// Civil time: for display.
  package var civil: Timestamp

  package init(monotonic: UInt64, civil: Timestamp) {
    self.monotonic = monotonic
    self.civil = civil
  }
}
