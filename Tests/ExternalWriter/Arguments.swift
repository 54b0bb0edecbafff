/// What the process is to do.
enum Mode: String, CaseIterable {
  case exec, paced, flood, serve, crash, transfers, vacuum, replace, schema
}

/// A mistake in the command line.
struct UsageError: Error {
  let message: String
}

let usage = """
  usage: ExternalWriter MODE DATABASE [ARGUMENT…] [OPTION…]

    exec DB SQL…       commit each SQL argument; print its rows, then "ok"
    serve DB           commit each line of standard input; print its rows, then
                       "ok BEFORE AFTER", the monotonic nanoseconds around it.
                       .spill writes dirty pages to the file or its WAL before the commit,
                       .reopen closes and opens, .replace FILE renames FILE over the database,
                       .restore FILE copies FILE into the database by the backup API,
                       .work writer=N count=N ms=N seed=N commits small random transactions
                       to tables t… and counts them in commits (w, n),
                       .kill ends this process with SIGKILL
    paced DB           play the arena of sample.db at a human pace until SIGTERM
                       [--rate PER-SECOND] [--seed N] [--count N] [--seconds S] [--verbose]
    flood DB           commit rows without a pause; print the rate
                       --seconds S | --count N  [--table T | --sql SQL]
                       [--pause MILLISECONDS] after each  [--count-busy] go on when refused,
                       and print how often (in a row: once)
    transfers DB       move money between accounts, keeping the sum
                       [--seed N] [--count N] [--accounts N]
    crash DB           write part of a transaction to the file or its WAL, then die by SIGKILL
                       [--table T]
    schema DB          create a table, add a column, an index, then drop it, in four commits
                       [--table T]
    vacuum DB          run VACUUM
    replace DB NEW     rename NEW over DB

  For every mode: --journal MODE  --sync MODE  --busy MILLISECONDS (5000)
                  --exclusive (locking mode)
  Exit: 0 done, 1 SQL error, 2 usage, 3 cannot open
  """

/// The command line, taken apart.
struct Arguments {
  let mode: Mode
  let database: String
  /// What follows the database and is no option.
  private(set) var rest: [String] = []
  private(set) var wantsHelp = false

  private(set) var journal: String?
  private(set) var sync: String?
  private(set) var busyMilliseconds: Int32 = 5000
  private(set) var rate = 1.5
  private(set) var seed: UInt64 = 1
  private(set) var count: Int?
  private(set) var seconds: Double?
  private(set) var accounts = 100
  private(set) var table: String?
  private(set) var sql: String?
  private(set) var isVerbose = false
  private(set) var isExclusive = false
  private(set) var countsBusy = false
  /// Milliseconds between two commits.
  private(set) var pause: Double?

  init(_ words: some Sequence<String>) throws {
    var positional: [String] = []
    var words = words.makeIterator()
    while let word = words.next() {
      func value() throws -> String {
        guard let next = words.next() else { throw UsageError(message: "\(word) needs a value") }
        return next
      }
      func number<N: LosslessStringConvertible & Comparable & ExpressibleByIntegerLiteral>(
        _ type: N.Type
      ) throws -> N {
        let text = try value()
        guard let number = N(text), number >= 0 else {
          throw UsageError(message: "\(word): \"\(text)\" is no number from 0 up")
        }
        return number
      }
      switch word {
      case "-h", "--help": wantsHelp = true
      case "--journal": journal = try value()
      case "--sync": sync = try value()
      case "--busy": busyMilliseconds = try number(Int32.self)
      case "--rate": rate = try number(Double.self)
      case "--seed": seed = try number(UInt64.self)
      case "--count": count = try number(Int.self)
      case "--seconds": seconds = try number(Double.self)
      case "--accounts": accounts = try number(Int.self)
      case "--table": table = try value()
      case "--sql": sql = try value()
      case "--verbose": isVerbose = true
      case "--exclusive": isExclusive = true
      case "--count-busy": countsBusy = true
      case "--pause": pause = try number(Double.self)
      // SQL may begin with a comment, so that only what looks like a word is an option.
      case _ where word.hasPrefix("--") && word.dropFirst(2).first?.isLetter == true:
        throw UsageError(message: "unknown option \(word)")
      default: positional.append(word)
      }
    }
    if wantsHelp {
      (mode, database) = (.exec, "")
      return
    }
    guard let name = positional.first else { throw UsageError(message: "which mode?") }
    guard let mode = Mode(rawValue: name) else {
      throw UsageError(message: "unknown mode \"\(name)\"")
    }
    guard positional.count > 1 else { throw UsageError(message: "\(name): which database?") }
    self.mode = mode
    database = positional[1]
    rest = Array(positional.dropFirst(2))
    try check()
  }

  /// Refuses what the mode would silently ignore or cannot do without.
  private func check() throws {
    let expected: ClosedRange<Int> =
      switch mode {
      case .exec: 1...Int.max
      case .replace: 1...1
      default: 0...0
      }
    guard expected.contains(rest.count) else {
      throw UsageError(
        message: rest.count < expected.lowerBound
          ? "\(mode.rawValue): something is missing after the database"
          : "\(mode.rawValue): what is \"\(rest[expected.upperBound])\"?")
    }
    if mode == .flood, seconds == nil, count == nil {
      throw UsageError(message: "flood: give --seconds or --count")
    }
    if mode == .paced, rate == 0 { throw UsageError(message: "paced: --rate 0 never commits") }
    if mode == .transfers, accounts < 2 {
      throw UsageError(message: "transfers: --accounts must be 2 or more")
    }
  }
}
