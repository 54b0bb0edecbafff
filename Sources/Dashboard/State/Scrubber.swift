import ObservationEngine

/// The bar that stands for the kept frames while an older one is shown, in place of the line about
/// latency.
///
///      12:01:03 ━━━━━━━━━━━●───────────── 12:04:31
struct Scrubber {
  /// The line, and the part of it that stands for frames.
  let line: Rect
  let track: Rect
  /// When the oldest and the newest frame arrived.
  let ends: (first: String, last: String)
  private let count: Int

  /// Nil while the newest state is shown, or without room.
  init?(_ timeline: Timeline, in line: Rect?, utcOffsetSeconds: Int) {
    guard timeline.shown != nil, timeline.count > 0, let line else { return nil }
    func clock(_ place: Int) -> String {
      QuantityText.clock(timeline[place].moment.civil, utcOffsetSeconds: utcOffsetSeconds)
    }
    count = timeline.count
    ends = (clock(0), clock(count - 1))
    self.line = line
    let left = ends.first.utf8.count + 2
    track = Rect(
      x: line.x + left, y: line.y, width: line.width - left - ends.last.utf8.count - 2, height: 1)
    guard track.width >= 10 else { return nil }
  }

  /// The cell of a frame.
  ///
  /// - Parameter place: Its position among the kept ones, from 1; 0 for one that is forgotten.
  func column(ofFrame place: Int) -> Int {
    guard count > 1 else { return track.x + track.width - 1 }
    return track.x + (max(place, 1) - 1) * (track.width - 1) / (count - 1)
  }

  /// The position of the frame at a cell, from 1.
  func frame(atColumn x: Int) -> Int {
    let offset = min(max(x - track.x, 0), track.width - 1)
    return 1 + (offset * (count - 1) + (track.width - 1) / 2) / max(1, track.width - 1)
  }
}

extension ScreenLayout {
  /// The bar of the kept frames, while an older one is shown.
  func scrubber(_ state: DashboardState) -> Scrubber? {
    Scrubber(state.timeline, in: status, utcOffsetSeconds: state.utcOffsetSeconds)
  }
}
