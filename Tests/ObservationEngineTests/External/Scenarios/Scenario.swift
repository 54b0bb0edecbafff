import DatabaseConsole
import Glibc
import TestSupport

@testable import ObservationEngine

/// What scenarios have in common: a database whose players are shown as one text.
extension TemporaryDatabase {
  static let names = Query.scalar("SELECT group_concat(name) FROM player", as: String.self)

  func recordNames() -> Recorder<String?> { database.record(Self.names) }

  /// Another database of the same form, with one player, beside the observed one.
  ///
  /// - Returns: Its path.
  @discardableResult
  func makeOther(
    _ file: String, name: String, journal: String = "delete", version: Int = 0
  ) async throws -> String {
    let process = try ExternalProcess([
      "exec", folder.path(file), "--journal", journal, "--sync", "OFF", Self.players, Self.maps,
      "INSERT INTO player(name) VALUES ('\(name)')", "PRAGMA user_version = \(version)",
    ])
    guard await process.ended() == 0 else { throw Unexpected("\(file) was not made") }
    return folder.path(file)
  }

  /// Deletes the files that SQLite made beside the database.
  func delete(_ suffixes: [String]) {
    for suffix in suffixes { unlink(path + suffix) }
  }

  /// Runs one statement in a process of its own, as a person at a shell does.
  ///
  /// - Returns: Its exit status.
  @discardableResult
  func other(_ sql: String...) async throws -> Int32 { try await other(sql) }

  /// Runs statements in a process of its own.
  func other(_ sql: [String]) async throws -> Int32 {
    await (try ExternalProcess(["exec", path, "--sync", "OFF"] + sql)).ended()
  }

  /// What a program says of the file that has nothing to do with the engine.
  func check() async throws -> [String] {
    let process = try await ExternalProcess.serve(path)
    let rows = try await process.send(
      "PRAGMA integrity_check; SELECT group_concat(name) FROM player")
    await process.finish()
    return rows.map { $0[0] }
  }
}

extension Recorder {
  /// Waits until the observation delivers `value`, whatever it delivers before, errors too.
  func settle(on value: Value) async throws {
    while true {
      if case .success(value) = try await next().result { return }
    }
  }
}

extension ExternalProcess {
  /// Asks for another journal mode, as only one who is alone may, until nobody is in its way: SQLite does
  /// not wait for that by itself.
  func change(to mode: String) async throws {
    try await wait(for: "journal mode \(mode)") {
      do {
        return try await self.send("PRAGMA journal_mode = \(mode)") == [[mode]]
      } catch let error as Failure {
        guard error.code & 0xff == 5 else { throw error }
        return false
      }
    }
  }
}

extension CommitLog {
  /// Has `commit` repeated until a commit is told by these tables: after the file began anew in some way,
  /// the first ones are told as commits to any table.
  func expectNamed(_ tables: [String], _ commit: () async throws -> some Any) async throws {
    for _ in 1...500 {
      let before = commits.count
      _ = try await commit()
      try await wait(for: "the commit") { self.commits.count > before }
      if commits.last?.tables == .named(tables) { return }
    }
    throw Unexpected("no commit was told by \(tables) among \(commits.suffix(3).map(\.tables))")
  }
}

/// One query as a person sees it: its last value, and whether that is out of date.
final class Panel: Sendable {
  private let group: WindowedObservation

  init(_ database: Database, _ sql: String) {
    group = database.panels([.rows(SQL(raw: sql))])
  }

  /// Waits until the panel shows `text` and nothing is wrong with it.
  func settle(on text: String) async throws {
    var shown: String?
    while let refresh = await group.next() {
      if let result = refresh.results[0] {
        shown = try? result.get().rows.first?.first.flatMap {
          if case .text(let text) = $0 { text } else { nil }
        }
      }
      if shown == text, refresh.stale.isEmpty { return }
    }
    throw Unexpected("the panel ended with \(shown ?? "nothing")")
  }

  /// Waits until the panel says what is wrong: an error, or why its value is out of date.
  func settle(onTrouble text: String) async throws {
    while let refresh = await group.next() {
      if refresh.stale[0]?.reason.contains(text) == true { return }
      if refresh.error(0)?.message.contains(text) == true { return }
    }
    throw Unexpected("the panel ended without \(text)")
  }
}

/// The notices of a database: what the engine says of how it works.
final class NoticeLog: Sendable {
  private let journal = Journal<String>()
  private let database: Database
  private let follower: EventFollower

  init(_ database: Database) {
    self.database = database
    follower = EventFollower(database) { [journal] event, _ in
      if case .notice(let text, _) = event { journal.append(text) }
    }
  }

  deinit { journal.finish() }

  var texts: [String] { journal.entries }

  /// Waits for a notice that contains `text`.
  func first(containing text: String) async throws {
    var index = 0
    while let entry = await journal.entry(at: index) {
      if entry.contains(text) { return }
      index += 1
    }
    throw Unexpected("no notice of \(text) among \(texts)")
  }
}
