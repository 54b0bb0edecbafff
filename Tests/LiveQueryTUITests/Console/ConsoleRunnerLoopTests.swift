import Dashboard
import Glibc
import ObservationEngine
import Synchronization
import TestSupport
import Testing

@testable import LiveQueryTUI

/// The console's runner on the screen's own loop: part of the suite of the loop, because there is one
/// executor for the screen, and one test at a time may drive it.
extension MainLoopTests {
  /// A table, and a view over which a count never ends.
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2);
    CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT i FROM n WHERE running(i) < 0;
    CREATE TRIGGER gone INSTEAD OF DELETE ON slow BEGIN DELETE FROM t; END;
    """

  /// What the console was told, in a word each, and whoever waits for the next of it.
  @ScreenActor
  private final class Told {
    private(set) var words: [String] = []
    private var waiting: (word: String, continuation: CheckedContinuation<Void, Never>)?

    func note(_ event: ConsoleEvent) {
      switch event {
      case .started(let sql, _): words.append("started \(sql)")
      case .finished(_, _, let changes, _, _): words.append("finished \(changes ?? 0)")
      case .failed(let error, _): words.append("failed \(error.message)")
      case .counting(let sql): words.append("counting \(sql)")
      case .needsConfirmation(let question, _): words.append("asked \(question)")
      case .needsScriptConfirmation(let summary): words.append("asked \(summary.statements)")
      case .script(let progress) where progress.duration != nil:
        words.append("ran \(progress.done) of \(progress.count)")
      default: return
      }
      if let waiting, words.last?.hasPrefix(waiting.word) == true {
        self.waiting = nil
        waiting.continuation.resume()
      }
    }

    /// Waits for something that has not been told yet.
    func next(_ word: String) async {
      await withCheckedContinuation { waiting = (word, $0) }
    }
  }

  /// Whether the endless view is being read: a function in it tells.
  private final class Reading: Sendable {
    private let count = Atomic<Int>(0)

    var function: CustomFunction {
      CustomFunction("running", argumentCount: 1, schemaUse: .always) { [self] _ in
        count.wrappingAdd(1, ordering: .relaxed)
        return .integer(0)
      }
    }

    /// Waits until it is.
    @ScreenActor
    func begin() async {
      while count.load(ordering: .relaxed) == 0 { await Task.yield() }
    }
  }

  /// Runs `body` on the screen's loop with a runner.
  private func run(
    _ body: @escaping @ScreenActor (ConsoleRunner, Told, Reading) async throws -> Void
  ) async throws -> [String] {
    let reading = Reading()
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.functions = [reading.function]
    let temporary = try await TemporaryDatabase(
      configuration: configuration, schema: Self.schema)
    let log = Log()
    let status = await LoopThread.run { loop in
      let told = Told()
      let runner = ConsoleRunner(temporary.database) { told.note($0) }
      // What does not come must not keep the suite for ever: it is the only one with the loop.
      Task { @ScreenActor in
        try await Task.sleep(for: .seconds(60))
        temporary.database.shutDown()
        log.add("timed out after: \(told.words)")
        loop.stop(status: 2)
      }
      Task { @ScreenActor in
        do {
          try await body(runner, told, reading)
          for word in told.words { log.add(word) }
          log.add("\(try await temporary.integer("SELECT count(*) FROM t")) rows")
          loop.stop(status: 0)
        } catch {
          log.add("\(error)")
          loop.stop(status: 1)
        }
      }
    }
    #expect(status == 0)
    return log.all
  }

  @Test(.timeLimit(.minutes(10)))
  func `a count behind another statement is taken back, and the statement never runs`()
    async throws
  {
    let told = try await run { runner, told, reading in
      runner.submit("SELECT 1; DELETE FROM slow; SELECT 2;")
      await told.next("counting")
      await reading.begin()
      #expect(runner.isBusy)
      runner.cancel()
      runner.discard()
      #expect(!runner.isBusy)
      // The count was interrupted: it would keep this one waiting for ever.
      runner.submit("SELECT 3;")
      await told.next("finished")
    }
    #expect(
      told == [
        "started SELECT 1;", "finished 0", "counting DELETE FROM slow;", "started SELECT 3;",
        "finished 0", "2 rows",
      ])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a count that ends asks, and what is confirmed runs`() async throws {
    let told = try await run { runner, told, _ in
      runner.submit("DELETE FROM t;")
      await told.next("asked")
      runner.run("DELETE FROM t;")
      await told.next("finished")
    }
    #expect(
      told == [
        "counting DELETE FROM t;", "asked DELETE without WHERE removes all 2 rows of t. Run it?",
        "started DELETE FROM t;", "finished 2", "0 rows",
      ])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a statement that runs is cancelled, and what stands behind it is dropped`() async throws {
    let told = try await run { runner, told, reading in
      runner.submit("SELECT count(*) FROM slow; DELETE FROM t WHERE id = 1;")
      await reading.begin()
      #expect(runner.isBusy)
      runner.cancel()
      await told.next("failed")
      runner.submit("SELECT 3;")
      await told.next("finished")
    }
    #expect(told.last == "2 rows")
    #expect(told.contains { $0.hasPrefix("failed") })
  }

  @Test(.timeLimit(.minutes(10)))
  func `of a file what was asked about runs, whatever stands there by now`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("DELETE FROM t WHERE id = 1;\nSELECT 1;\n", to: "s.sql")
    let told = try await run { runner, told, _ in
      runner.readScript(file, asks: true)
      await told.next("asked")
      try folder.write("DROP TABLE t;\n", to: "s.sql")
      runner.runScript()
      await told.next("ran")
      // It was run once.
      runner.runScript()
      #expect(!runner.isBusy)
    }
    #expect(told == ["asked 2", "ran 2 of 2", "1 rows"])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a file that is not confirmed is forgotten`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("DELETE FROM t;\n", to: "s.sql")
    let told = try await run { runner, told, _ in
      runner.readScript(file, asks: true)
      await told.next("asked")
      runner.discard()
      runner.runScript()
      #expect(!runner.isBusy)
      runner.readScript(file, asks: false)
      await told.next("ran")
    }
    #expect(told == ["asked 1", "ran 1 of 1", "0 rows"])
  }

  @Test(arguments: [
    ("INSERT INTO t VALUES (1); SELECT 1;", [2, 1, 0, 0]),
    ("DROP TABLE t; DROP INDEX i; CREATE TABLE u (x);", [3, 3, 2, 0]),
    ("UPDATE t SET v = 1; DELETE FROM t; DELETE FROM t WHERE id = 1;", [3, 3, 0, 2]),
    ("WITH x AS (SELECT 1) DELETE FROM t; PRAGMA user_version = 3;", [2, 1, 0, 1]),
  ])
  func `a file is counted by what its statements do`(_ text: String, _ counts: [Int]) async {
    let statements = ScriptStatement.statements(of: text)
    let summary = await ConsoleState.ScriptSummary("x.sql", statements)
    #expect(
      [summary.statements, summary.changes, summary.drops, summary.whole] == counts)
  }
}
