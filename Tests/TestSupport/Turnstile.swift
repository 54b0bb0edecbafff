internal import Synchronization

/// Lets a number of tasks pass, and the others wait in the order of their coming.
final class Turnstile: Sendable {
  private struct State {
    var places: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(places: Int) { state = Mutex(State(places: places)) }

  func enter() async {
    await withCheckedContinuation { continuation in
      let mayPass = state.withLock { state in
        if state.places == 0 {
          state.waiting.append(continuation)
          return false
        }
        state.places -= 1
        return true
      }
      if mayPass { continuation.resume() }
    }
  }

  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.places += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
