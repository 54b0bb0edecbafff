import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// The examples of what is done with observations; those that never end are only compiled.
@Suite(.fewAtOnce, .timeLimit(.minutes(1)))
struct OperatorExamples {
  private let count = Query.scalar("SELECT count(*) FROM player", as: Int.self)
  private let best = Query.list("SELECT score FROM player ORDER BY score DESC") { row in
    try row.decode(0, as: Int.self)
  }

  private struct Report: Sendable {
    let id: Int
    var version: Int { id }

    init(_ connection: Connection) throws {
      id = try connection.fetchOne("SELECT count(*) FROM player")
    }
  }

  /// Something on a screen.
  private final class Label: Sendable {
    private let content = Mutex("")

    var text: String {
      get { content.withLock { $0 } }
      set { content.withLock { $0 = newValue } }
    }
  }

  @Test func `values are mapped and compared`() async throws {
    let db = try await exampleDatabase()
    let database = db.database

    let title = database.observe(best).map { "\($0.count) players" }.removeDuplicates()
    let reports = database.observe { try Report($0) }.removeDuplicates { $0.id == $1.id }
    let versions: ValueObservation<Report> = {
      database.observe { try Report($0) }.removeDuplicates { $0.version == $1.version }
    }()

    for try await value in title {
      #expect(value == "2 players")
      break
    }
    for try await report in reports {
      #expect(report.id == 2)
      break
    }
    for try await report in versions {
      #expect(report.version == 2)
      break
    }
  }

  @Test func `handlers are called`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let shown = Screen<Int>()
    let log: @Sendable (any Error) -> Void = { Issue.record($0) }
    let show: @Sendable (Int) -> Void = { shown.show($0) }

    let subscription = database.observe(count).start(onError: log, onValue: show)
    #expect(await shown.journal.entry(at: 0) == 2)
    subscription.cancel()
  }

  @Test func `a first value is there at once`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let label = Label()
    let show: @Sendable (any Error) -> Void = { Issue.record($0) }

    let subscription = database.observe(count).start(.immediate) { error in
      show(error)
    } onValue: { count in
      label.text = "\(count)"  // called before `start` returns
    }

    #expect(label.text == "2")
    subscription.cancel()
  }

  @MainActor
  private final class Controller {
    private let database: Database
    private let count = Query.scalar("SELECT count(*) FROM player", as: Int.self)
    private var subscription: ObservationSubscription?
    let label = Label()

    init(_ database: Database) { self.database = database }

    private func show(_ error: any Error) { Issue.record(error) }

    @MainActor func viewDidAppear() {
      subscription = database.observe(count).startOnMainActor(onError: show) {
        [label] count in
        label.text = "\(count)"
      }
    }
  }

  @MainActor
  @Test func `a view has its value when it appears`() async throws {
    let db = try await exampleDatabase()
    let controller = Controller(db.database)
    controller.viewDidAppear()
    #expect(controller.label.text == "2")
  }

  @Test func `events are told`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let log: @Sendable (String) -> Void = { _ in }

    let logged: ValueObservation<[Int]> = {
      database.observe(best)
        .handleEvents(databaseDidChange: { log("changed") }, didFail: { log("failed: \($0)") })
    }()
    let printed: ValueObservation<Int> = {
      database.observe(count).print("count")
      // count: start
      // count: fetch
      // count: tracked region: player(*)
      // count: value: 0
    }()

    for try await value in logged {
      #expect(value == [3, 1])
      break
    }
    for try await value in printed {
      #expect(value == 2)
      break
    }
  }

  func `these are compiled`(_ database: Database) async throws {
    for try await count in database.observe(count) { print(count) }
    for try await count in database.observe(count).skippingInitial() { print(count) }

    let names = database.observe(Query.rows("SELECT name FROM player") { try $0[0] as String })
    for try await names in names.map(\.count).removeDuplicates() { print(names) }

    let search = count
    for try await matches in database.observe(search).debounce(for: .milliseconds(200)) {
      print(matches)
    }
    for try await best in database.observe(best).throttle(for: .milliseconds(50)) { print(best) }

    let allPlayers = best
    let players = database.observe(allPlayers).shared()
    for try await list in players { print(list) }  // here,
    for try await list in players { print(list) }  // and there: one fetch
  }
}
