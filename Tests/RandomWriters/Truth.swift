import Glibc
import TestSupport

/// What plain SQLite reads from a database: the rows of the panels, the counts of commits, the
/// statements of the schema.
struct Truth {
  var panels: [String: [String: Int]] = [:]
  var commits: [Int] = []
  /// Tables first.
  var schema: [(type: String, name: String, sql: String)] = []

  var rowCount: Int { panels.values.reduce(0) { $0 + $1.values.reduce(0, +) } }
}

/// Reads a database without touching it: its files are copied, and the copies opened.
///
/// A connection of its own would make events, keep or delete a -wal, or roll back what a dead writer left:
/// livequery could notice by that what it must notice by itself.
final class TruthReader {
  private let folder: String
  private let panels: [Traits.Panel]
  private let shell: ExternalProcess
  private var number = 0

  init(folder: String, panels: [Traits.Panel]) async throws {
    self.folder = folder
    self.panels = panels
    shell = try await ExternalProcess.serve(":memory:")
  }

  /// - Parameter mustCheck: Whether SQLite is to check the structure of the database as well.
  func read(_ database: String, mustCheck: Bool) async throws -> Truth {
    number += 1
    let path = "\(folder)/truth-\(number).db"
    defer { for suffix in Files.suffixes { unlink(path + suffix) } }
    // Livequery may be rolling back, or taking over a log, at this moment.
    while true {
      let before = Files.stamps(of: database)
      for suffix in Files.suffixes.reversed() { Files.copy(database + suffix, to: path + suffix) }
      Files.cutLog(path + "-wal", asPublishedIn: database + "-shm")
      if Files.stamps(of: database) == before { break }
      for suffix in Files.suffixes { unlink(path + suffix) }
    }
    var truth = Truth()
    try await shell.send("ATTACH '\(path)' AS truth")
    do {
      if mustCheck {
        let found = try await shell.send("PRAGMA truth.integrity_check")
        guard found == [["ok"]] else {
          throw Failure(kind: "integrity", text: "integrity_check: \(found.prefix(5))")
        }
      }
      for panel in panels {
        let object = panel.columns.map { "'\($0)', \($0)" }.joined(separator: ", ")
        let rows = try await shell.send(
          "SELECT json_object(\(object)) FROM (\(panel.query("truth.")))")
        // Without the braces, as the replica has them.
        for row in rows {
          truth.panels[panel.name, default: [:]][
            String(row[0].dropFirst().dropLast()), default: 0] += 1
        }
      }
      truth.commits = try await shell.send("SELECT n FROM truth.commits ORDER BY w").map {
        Int($0[0]) ?? -1
      }
      truth.schema = try await shell.send(
        """
        SELECT type, name, sql FROM truth.sqlite_schema
        WHERE sql NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY type = 'index', rowid
        """
      ).map { ($0[0], $0[1], $0[2]) }
    } catch {
      _ = try? await shell.send("DETACH truth")
      throw error
    }
    try await shell.send("DETACH truth")
    return truth
  }
}

/// A database and what stands beside it, as files.
enum Files {
  /// In the order in which they are read again: a log before the file that it is copied into.
  static let suffixes = ["", "-shm", "-wal", "-journal"]

  static func stamps(of database: String) -> [[Int]] {
    // The wal-index says nothing that is not in the log.
    ["", "-wal", "-journal"].map { suffix in
      var info = stat()
      guard stat(database + suffix, &info) == 0 else { return [] }
      return [Int(info.st_ino), Int(info.st_size), info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
    }
  }

  static func size(_ path: String) -> Int? {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_size) : nil
  }

  /// Writes one file over another, as `cp` does.
  @discardableResult
  static func copy(_ source: String, to target: String) -> Bool {
    // The wal-index of a copy is made from its log.
    if source.hasSuffix("-shm") { return false }
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return false }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard output >= 0 else { return false }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 128 * 1024)
    while true {
      let count = Glibc.read(input, &buffer, buffer.count)
      guard count > 0 else { return count == 0 }
      guard write(output, buffer, count) == count else { return false }
    }
  }

  /// Cuts the copy of a log to the commits that connections to the original see.
  ///
  /// A writer that is killed between writing a commit to the log and publishing it in the wal-index leaves a
  /// commit that only a recovery of the log finds. SQLite recovers when the first connection opens the
  /// database, so the commit counts only if no process has it open.
  static func cutLog(_ log: String, asPublishedIn index: String) {
    let descriptor = open(index, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // The lock that each connection holds: UNIX_SHM_DMS of os_unix.c.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 128
    lock.l_len = 1
    guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return }
    var header = [UInt8](repeating: 0, count: 96)
    guard pread(descriptor, &header, 96, 0) == 96, header[0..<48] == header[48..<96] else { return }
    let frames = header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) }
    let size = header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 14, as: UInt16.self) }
    let pageSize = Int(size & 0xfe00) + Int(size & 1) << 16
    let copy = open(log, O_RDWR | O_CLOEXEC)
    guard copy >= 0 else { return }
    defer { close(copy) }
    var salts = [UInt8](repeating: 0, count: 8)
    // Both are raw bytes. A log with other salts is about to begin again: the file holds all of the old one.
    let isSameLog = pread(copy, &salts, 8, 16) == 8 && salts == Array(header[32..<40])
    let end = isSameLog ? 32 + Int(frames) * (pageSize + 24) : 0
    if let size = Files.size(log), end < size { ftruncate(copy, off_t(end)) }
  }
}
