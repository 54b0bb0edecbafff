import Glibc
import ObservationEngine
import TestSupport
import Testing

@testable import LiveQueryTUI

/// Following a file needs a loop: part of its suite, where one test at a time drives it.
extension MainLoopTests {
  /// How changes are noticed.
  enum Notice: CaseIterable {
    case told, withoutInotify, onAnotherMachine

    var events: FileEvents {
      var events = FileEvents.system
      switch self {
      case .told: break
      case .withoutInotify: events.open = { -1 }
      case .onAnotherMachine: events.blindFileSystem = { _ in "NFS" }
      }
      return events
    }
  }

  @ScreenActor private final class Kept { var follower: FileFollower? }

  @Test(.timeLimit(.minutes(10)), arguments: Notice.allCases)
  func `a file that is written, replaced or removed is noticed`(_ notice: Notice) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("one", to: "d.sql")
    let log = Log()
    _ = await LoopThread.run { loop in
      let kept = Kept()
      var steps: [() throws -> Void] = [
        { try folder.write("two and more", to: "d.sql") },
        {
          try folder.write("three", to: "new")
          rename(folder.path("new"), path)
        },
        { unlink(path) },
        {
          kept.follower = nil
          loop.stop(status: 0)
        },
      ]
      func step() {
        do { try steps.removeFirst()() } catch { log.add("\(error)") }
      }
      kept.follower = FileFollower(
        path: path, in: loop, events: notice.events, lookInterval: .milliseconds(1)
      ) {
        let text = (try? folder.text("d.sql")) ?? "gone"
        // One saving can make several events.
        guard kept.follower != nil, text != log.all.last else { return }
        log.add(text)
        step()
      }
      step()
    }
    #expect(log.all == ["two and more", "three", "gone"])
  }
}
