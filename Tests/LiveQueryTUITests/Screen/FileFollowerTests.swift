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

  @Test
  func `a database in the same folder makes no events, and a file that comes back does`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try folder.write("one", to: "d.sql")
    let log = Log()
    _ = await LoopThread.run { loop in
      defer { loop.stop(status: 0) }
      guard let watch = FileWatch(path: path, events: .system) else { return }
      @ScreenActor func note(_ name: String) {
        var poll = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        let isReadable = Glibc.poll(&poll, 1, 0) == 1
        log.add("\(name): \(isReadable ? watch.takeEvents() ? "changed" : "the same" : "nothing")")
      }
      do {
        try folder.write("1", to: "app.db")
        try folder.write("2", to: "app.db-journal")
        unlink(folder.path("app.db-journal"))
        note("a commit")
        rename(path, folder.path("backup"))
        note("moved")
        try folder.write("2", to: "app.db-journal")
        note("a commit without the file")
        try folder.write("two", to: "d.sql")
        note("written")
        // The watches that were removed tell that they are.
        _ = watch.takeEvents()
        try folder.write("three", to: "backup")
        unlink(folder.path("app.db-journal"))
        note("a commit, and the former file")
        try folder.write("four", to: "d.sql")
        note("saved")
      } catch { log.add("\(error)") }
    }
    #expect(
      log.all == [
        "a commit: nothing", "moved: changed", "a commit without the file: the same",
        "written: changed", "a commit, and the former file: nothing", "saved: changed",
      ])
  }

  @Test
  func `what a link leads to is noticed when it comes back, in the folder of the link too`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("link.sql")
    try folder.write("one", to: "d.sql")
    symlink("d.sql", path)
    let log = Log()
    _ = await LoopThread.run { loop in
      defer { loop.stop(status: 0) }
      guard let watch = FileWatch(path: path, events: .system) else { return }
      @ScreenActor func isTold() -> Bool { watch.takeEvents() }
      do {
        rename(folder.path("d.sql"), folder.path("backup"))
        log.add("moved: \(isTold())")
        try folder.write("two", to: "d.sql")
        log.add("written: \(isTold())")
        try folder.write("three", to: "e.sql")
        unlink(path)
        log.add("unlinked: \(isTold())")
        symlink("e.sql", path)
        log.add("linked: \(isTold())")
        try folder.write("four", to: "e.sql")
        log.add("saved: \(isTold())")
      } catch { log.add("\(error)") }
    }
    #expect(
      log.all == ["moved: true", "written: true", "unlinked: true", "linked: true", "saved: true"])
  }
}
