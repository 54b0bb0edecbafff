import ObservationEngine
import TestSupport
import Testing

/// Own commits and those of another process, told apart and counted.
@Suite(.fewAtOnce)
struct InterleavingTests {
  @Test(arguments: StorageKind.files)
  func `an own commit is never reported as another's`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database)
    for _ in 1...50 {
      try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
      let commit = try await log.nextCommit()
      #expect(commit.origin == .own)
      #expect(commit.rows == Commit.RowCounts(inserted: 1))
    }
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    #expect(try await log.nextCommit().origin == .external)
    #expect(log.commits.count == 51)
  }

  @Test(arguments: StorageKind.files)
  func `alternating commits are told apart`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF")
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    for round in 0..<25 {
      try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
      #expect(try await log.nextCommit().origin == .own)
      try await recorder.expect(2 * round + 1)
      try await other.send("INSERT INTO player(name) VALUES ('bob')")
      let commit = try await log.nextCommit()
      #expect(commit.origin == .external)
      #expect(commit.count == 1)
      try await recorder.expect(2 * round + 2)
    }
  }

  @Test(arguments: StorageKind.files, [11, 12, 13] as [UInt64])
  func `random interleaving is counted exactly`(_ kind: StorageKind, seed: UInt64) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF", "--busy", "60000")
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    var random = SeededRandom(seed: seed)
    var own = 0
    var external = 0
    var answers = 0
    for _ in 0..<150 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
        own += 1
      case 4...7:
        // Not awaited: it commits while own writes go on.
        try other.tell("INSERT INTO player(name) VALUES ('bob')")
        external += 1
        answers += 1
      case 8:
        try other.tell("BEGIN IMMEDIATE; INSERT INTO player(name) VALUES ('eve'); ROLLBACK")
        answers += 1
      default:
        await #expect(throws: Unexpected.self) {
          try await db.database.write { connection in
            try connection.execute("INSERT INTO player(name) VALUES ('eve')")
            throw Unexpected("changed my mind")
          }
        }
      }
      if random.onceIn(5) {
        while answers > 0 {
          _ = try await other.answer()
          answers -= 1
        }
      }
    }
    while answers > 0 {
      _ = try await other.answer()
      answers -= 1
    }
    // Fences of both kinds: a surplus notice would come before them.
    try await log.expect(.external, count: external)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    try await log.expect(.external, count: external + 1)
    #expect(log.count(.own) == own + 1, "seed \(seed)")
    #expect(log.count(.external) == external + 1, "seed \(seed)")
    let total = own + external + 2
    try await recorder.expect(total, via: Array(1..<total))
  }

  @Test(arguments: StorageKind.files)
  func `two writers that never rest lose nothing`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let rounds = kind == .wal ? 400 : 150
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "\(rounds)", "--sync", "OFF", "--busy", "60000",
      "--sql", "INSERT INTO player(name) VALUES ('bob')",
    ])
    for _ in 0..<rounds {
      // In a rollback journal two writers and a reader may starve one another: try again.
      while true {
        do {
          try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
          break
        } catch let error as DatabaseError where error.code.primary == .busy {
          continue
        }
      }
    }
    #expect(await flood.ended() == 0)
    try await log.expect(.external, count: rounds)
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("INSERT INTO player(name) VALUES ('eve')")
    try await log.expect(.external, count: rounds + 1)
    #expect(log.count(.own) == rounds)
    #expect(log.count(.external) == rounds + 1)
    try await recorder.expect(2 * rounds + 1, via: Array(1...2 * rounds))
  }
}
