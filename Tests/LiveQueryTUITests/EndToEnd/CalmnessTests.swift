import Dashboard
import TestSupport
import Testing

/// What a person sees on a line so slow that every byte can be told from the next: no cell ever shows
/// anything but what the frame before said and what the next one says.
@Suite(.serialized, .fewAtOnce)
struct CalmnessTests {
  private static let panels = """
    -- name: counter
    -- view: number
    SELECT value AS counter FROM counter;

    -- name: items
    -- key: id
    -- rank: amount
    -- spark: amount
    SELECT id, name, amount FROM item ORDER BY amount DESC LIMIT 12;

    -- name: amounts
    -- view: bar
    SELECT name, amount FROM item ORDER BY id LIMIT 12;

    -- name: wave
    -- view: line
    SELECT id, amount FROM item ORDER BY id;

    -- name: share
    -- view: gauge min=0 max=1000
    SELECT max(amount) FROM item;

    -- name: spread
    -- view: histogram
    SELECT amount FROM item;
    """

  /// Each commit changes the order of the rows, a few numbers, and some wide characters.
  private static let commit = """
    UPDATE item SET amount = (amount * 13 + id * 7) % 997, name = CASE amount % 3 WHEN 0 THEN \
    'naïve ' || id WHEN 1 THEN '漢字 ' || id ELSE 'plain text ' || id END \
    WHERE id % 5 = (SELECT value % 5 FROM counter); UPDATE counter SET value = value + 1
    """

  private func program(
    size: Size, environment: [String: String] = [:]
  ) async throws -> (EmulatedProgram, Playground) {
    let database = try await Playground(
      """
      CREATE TABLE counter (value INTEGER); INSERT INTO counter VALUES (0);
      CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, amount INTEGER);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO item SELECT i, 'item ' || i, i * 31 % 997 FROM n;
      """, journal: "wal")
    let dashboard = try database.folder.write(Self.panels, to: "panels.sql")
    let program = try EmulatedProgram(
      [database.database, dashboard], size: size, environment: environment)
    try await program.waitFor("LIVE", "counter", "wave")
    return (program, database)
  }

  /// Reads until this many frames have come, while another process commits.
  private func watch(
    _ program: EmulatedProgram, _ database: Playground, frames count: Int
  ) async throws -> [TerminalEmulator.Frame] {
    let writer = try await ExternalProcess.serve(database.database)
    var frames: [TerminalEmulator.Frame] = []
    while frames.count < count {
      for statement in Self.commit.split(separator: ";") {
        try await writer.send(String(statement))
      }
      program.read()
      frames += program.takeFrames()
      // No synchronisation: the screen shows no more commits a second, and other tests want to run.
      try await Task.sleep(for: .milliseconds(15))
    }
    await writer.finish()
    return frames
  }

  private func expectCalm(_ frames: [TerminalEmulator.Frame], width: Int) {
    for (index, frame) in frames.enumerated() {
      let flickers = frame.flickers(width: width)
      #expect(
        flickers.isEmpty,
        """
        frame \(index) of \(frames.count): \(flickers.count), such as \(flickers.prefix(5)), by \
        \(String(decoding: frame.bytes, as: UTF8.self).debugDescription)
        """)
    }
  }

  @Test(
    arguments: [
      ["TERM": "xterm-256color"], ["TERM": "xterm-256color", "COLORTERM": "truecolor"],
      ["TERM": "screen-256color"], ["TERM": "linux"], ["TERM": "xterm", "NO_COLOR": "1"],
    ])
  func `beside a writer each cell goes from the old value to the new one`(
    _ environment: [String: String]
  ) async throws {
    let size = Size(width: 100, height: 36)
    let (program, database) = try await program(size: size, environment: environment)
    _ = program.takeFrames()
    expectCalm(try await watch(program, database, frames: 40), width: size.width)
    #expect(program.emulator.complaints == [])
    #expect(program.emulator.strayWrites == 0)
    try program.type("q")
    #expect(try await program.ended() == 0)
    #expect(program.emulator.isCursorVisible)
    #expect(program.emulator.modes.isDisjoint(with: [1000, 1002, 1006, 1049, 2004, 2026]))
  }

  @Test func `whatever the person does, only a redraw or another size clears the screen`()
    async throws
  {
    let size = Size(width: 100, height: 36)
    let (program, database) = try await program(size: size)
    _ = program.takeFrames()
    var frames: [TerminalEmulator.Frame] = []
    for keys in [
      "\t", "jjjj", "z", "z", "?", "\u{1b}", "2", "s", "s", "c", "SELECT 'été', 17", "\u{7f}",
      ";\r", "\u{1b}", ":sort", "\u{1b}", " ", ",", "0", "\u{1b}[<0;3;3M\u{1b}[<0;3;3m",
    ] {
      try program.type(keys)
      frames += try await watch(program, database, frames: 4)
    }
    expectCalm(frames, width: size.width)
    try program.type("\u{c}")
    try await program.wait(for: "a redraw") { $0.frames.contains { $0.clears } }
    _ = program.takeFrames()
    expectCalm(try await watch(program, database, frames: 5), width: size.width)
    let smaller = Size(width: 80, height: 24)
    program.resize(smaller)
    try await program.wait(for: "a frame of the new size") { emulator in
      emulator.frames.contains { $0.clears && $0.after.count == 80 * 24 }
    }
    _ = program.takeFrames()
    expectCalm(try await watch(program, database, frames: 5), width: smaller.width)
    #expect(program.emulator.complaints == [])
    #expect(program.emulator.strayWrites == 0)
  }

  @Test func `after quick changes between the oddest sizes the screen is whole`() async throws {
    let (program, database) = try await program(size: Size(width: 80, height: 24))
    let writer = try await ExternalProcess.serve(database.database)
    var random = SeededRandom(seed: 7)
    for _ in 0..<4 {
      for (width, height) in [
        (1, 1), (5, 200), (500, 3), (80, 24), (1, 50), (300, 1), (29, 6), (2, 2), (160, 48),
      ] {
        program.resize(Size(width: width, height: height))
        // Some sizes are gone before the program has heard of them.
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          for statement in Self.commit.split(separator: ";") {
            try await writer.send(String(statement))
          }
        }
      }
    }
    await writer.finish()
    program.resize(Size(width: 100, height: 36))
    try await program.waitFor("LIVE", "counter", "wave")
    // Marks fade meanwhile, and the header tells a rate: one of these pairs is of a screen at rest.
    var isWhole = false
    while !isWhole {
      _ = program.takeFrames()
      let before = program.emulator.lines.dropFirst()
      try program.type("\u{c}")
      try await program.wait(for: "a redraw") { $0.frames.contains { $0.clears } }
      isWhole = program.emulator.lines.dropFirst() == before
    }
    #expect(program.emulator.complaints == [])
    try program.type("q")
    #expect(try await program.ended() == 0)
  }
}
