import Dashboard
import ObservationEngine

/// A state, what changes it, and when that is drawn: the same with a screen and without one.
@ScreenActor
final class SessionCore {
  private(set) var state: DashboardState
  private var frames = FrameClock()
  /// What is not on the screen yet.
  private var undrawn = UndrawnCommit()
  /// The current time, or that of the recording that plays.
  private let clock: @ScreenActor () -> Moment
  /// Performs what the state can only ask for.
  var perform: (@ScreenActor (Effect) -> Void)?

  init(_ state: DashboardState, clock: @escaping @ScreenActor () -> Moment) {
    self.state = state
    self.clock = clock
  }

  var moment: Moment { clock() }

  /// Reduces an action and performs its effects.
  func dispatch(_ action: Action) {
    let urgency = state.urgency(of: action)
    if case .refreshed(let refresh, _, _) = action, urgency == .now { undrawn.receive(refresh) }
    frames.request(urgency, at: MonotonicClock.now)
    state.pass(to: moment)
    for effect in reduce(&state, action) { perform?(effect) }
  }

  // MARK: Frames

  /// When to draw the frame, on ``MonotonicClock``; nil when there is no need.
  var drawsAt: UInt64? { frames.dueAt }

  /// Whether the frame is due.
  var mustDraw: Bool { frames.isDue(at: MonotonicClock.now) }

  /// Draws the frame again although its content has not changed, because it looks different.
  func redraw() { frames.request(.now, at: MonotonicClock.now) }

  /// Draws the current state.
  func picture(size: Size) -> Grid {
    frames.draw(at: MonotonicClock.now)
    return render(state, size: size, moment: moment)
  }

  /// Records that the last frame is on the screen.
  func didDraw() {
    guard let drawn = undrawn.take() else { return }
    let now = MonotonicClock.now
    let latency = now - min(now, drawn.noticed)
    // The line that shows it is drawn with the next frame: it doesn't cause one itself.
    for effect in reduce(&state, .drawn(latency: latency, origin: drawn.origin)) {
      perform?(effect)
    }
  }
}
