import Dashboard
import ObservationEngine

/// The condition of `--until`: a query that is observed with those of the panels, behind them.
///
///     for await update in database.observation(of: queries + [condition.query], windowed: []) {
///       switch condition.take(Refresh(update)) { … }
///     }
///
/// Its first result says whether it can be waited for at all. After that an error may pass: a
/// script or a restore may have dropped its table, and creates it again.
struct UntilCondition {
  /// What the wait is at after a refresh.
  enum Progress: Equatable {
    /// - Parameter report: An error that is to be said.
    case waiting(report: String?)
    case isTrue
    /// Its first result is an error.
    case failed(Failure)
  }

  let query: Query<RowSet>
  private let index: Int
  private var hasWorked = false
  private var isTrue = false
  private var reported: String?

  /// - Parameter panels: How many queries are observed before it.
  init(_ sql: String, _ parameters: [String: Value], behind panels: Int) {
    query = .rows(SQL(raw: sql), QueryArguments(named: parameters))
    index = panels
  }

  mutating func take(_ refresh: Refresh) -> Progress {
    switch refresh.results[index] {
    case .success(let rows): (hasWorked, isTrue, reported) = (true, rows.isTrue, nil)
    case .failure(let error) where !hasWorked:
      return .failed(Failure("--until: \(error.message)", status: error.exitStatus))
    case .failure(let error):
      isTrue = false
      guard error.message != reported else { break }
      reported = error.message
      return .waiting(report: "--until: \(error.message); waiting goes on")
    // Its value is as it was.
    case nil: break
    }
    return isTrue ? .isTrue : .waiting(report: nil)
  }
}
