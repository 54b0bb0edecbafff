/// From an own commit to the value: how many players, and the top ten, which always go together.
///
/// Compared with one connection that commits and runs both queries again, in alternation.
struct OwnCommitRows {
  let project: Project
  private let pace = Pace(milliseconds: 5...9)
  private let warmUp = 20

  func run() throws -> [Row] {
    var rows: [Row] = []
    let spaced = try measure(count: 300, isSpaced: true)
    rows.append("own commit → value in a handler", spaced.handler.value, .microseconds)
    rows.append("  in a sequence", spaced.sequence.value, .microseconds)
    rows.append("  plain loop, both queries again", spaced.plain.value, .microseconds)
    rows.append("  plain loop, on a second connection", spaced.apart.value, .microseconds)
    rows.append(
      Row(
        "  own commit → value in a handler / plain loop", spaced.ratio(\.handler) { $0.value },
        .ratio, target: .atMost(2)))
    rows.append(Row("  in a sequence / plain loop", spaced.ratio(\.sequence) { $0.value }, .ratio))
    rows.append(
      Row("  write begins → value / plain loop", spaced.ratio(\.handler) { $0.whole }, .ratio))
    let dense = try measure(count: 1000, isSpaced: false)
    rows.append("own commit → value, back to back", dense.handler.value, .microseconds)
    rows.append("  in a sequence, back to back", dense.sequence.value, .microseconds)
    rows.append("  plain loop, back to back", dense.plain.value, .microseconds)
    rows.append("  on a second connection, back to back", dense.apart.value, .microseconds)
    rows.append(
      Row("  in a handler, back to back / plain loop", dense.ratio(\.handler) { $0.value }, .ratio))
    return rows
  }

  private struct Times {
    /// From the commit to the value.
    var value = Samples()
    /// From before the transaction to the value.
    var whole = Samples()

    mutating func append(_ moments: WriteMoments) {
      value.append(from: moments.committed, to: moments.delivered)
      whole.append(from: moments.began, to: moments.delivered)
    }
  }

  private struct Comparison {
    var handler = Times()
    var sequence = Times()
    var plain = Times()
    /// As ``plain``, with a second connection that reads.
    var apart = Times()

    func ratio(_ engine: KeyPath<Self, Times>, _ part: (Times) -> Samples) -> Double {
      part(self[keyPath: engine]).median / part(plain).median
    }
  }

  private func measure(count: Int, isSpaced: Bool) throws -> Comparison {
    let handler = try ObservedPlayers(path: newDatabase("own.db"), delivery: .callback)
    defer { handler.end() }
    let sequence = try ObservedPlayers(path: newDatabase("own-tasks.db"), delivery: .sequence)
    defer { sequence.end() }
    let plain = try PlainPlayers(path: newDatabase("own-plain.db"), readsApart: false)
    let apart = try PlainPlayers(path: newDatabase("own-apart.db"), readsApart: true)
    var comparison = Comparison()
    for index in 0..<warmUp + count {
      let score = 200_000 + index
      var moments: [WriteMoments] = []
      for insert in [handler.insert, sequence.insert, plain.insert, apart.insert] {
        if isSpaced { Clock.sleep(pace.next()) }
        moments.append(try insert(score))
      }
      guard index >= warmUp else { continue }
      comparison.handler.append(moments[0])
      comparison.sequence.append(moments[1])
      comparison.plain.append(moments[2])
      comparison.apart.append(moments[3])
    }
    return comparison
  }

  private func newDatabase(_ name: String) throws -> String {
    let path = project.newDatabase(name)
    try PlayerTable.make(path)
    return path
  }
}

/// When a write began, was committed, and its new values were there.
struct WriteMoments {
  let began: UInt64
  let committed: UInt64
  let delivered: UInt64
}
