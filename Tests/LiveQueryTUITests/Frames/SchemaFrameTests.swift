import TestSupport
import Testing

/// The schema of the sample, by scripted keys.
@Suite(.fewAtOnce) struct SchemaFrameTests {
  @Test func `F2 shows tables with their rows, and columns behind them`() async throws {
    let frame = try await Frame("<F2><wait>jl<wait>")
    #expect(frame.shows("━┫schema  v"))
    #expect(frame.shows("▾ tables"))
    #expect(frame.shows("▾ maps", "8 rows"))
    #expect(frame.shows("id", "INTEGER PK"))
    #expect(frame.shows("▸ scores", "48 588 rows"))
  }

  @Test func `sizes of tables and indexes come from the file`() async throws {
    let frame = try await Frame("<F2><wait>b<wait>")
    #expect(frame.shows("▸ scores", "48 588 rows", " MB"))
    #expect(frame.shows("▸ maps", "8 rows", "8.0 KB"))
  }

  @Test func `Enter on a table opens a panel that is live`() async throws {
    let frame = try await Frame(
      "<F2><wait>j<Enter><wait>cINSERT INTO maps(name, size) VALUES ('canyon', 'small');<Enter><wait><Esc>7z"
    )
    #expect(frame.shows("━┫7 table maps┣"))
    #expect(frame.shows("+", "canyon"))
  }

  @Test func `a schema change shows at once`() async throws {
    let frame = try await Frame(
      "<F2><wait><Esc>cCREATE TABLE aaa (x INT, y TEXT);<Enter><wait><Esc><F2><wait>jl<wait>")
    #expect(frame.shows("▾ aaa", "0 rows"))
    #expect(frame.shows("y", "TEXT"))
  }

  @Test func `a large screen has room for it beside the console`() async throws {
    let frame = try await Frame(size: "160x48")
    #expect(frame.shows("8 SQL", "9 schema  v"))
    #expect(frame.shows("▸ scores", "48 588 rows"))
  }
}
