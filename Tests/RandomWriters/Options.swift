/// The command line, taken apart.
struct Options {
  static let usage = """
    usage: RandomWriters [--seconds N] [--seed N] [--cases N] [--rounds N] [--only A,B] [--without A,B]
                         [--program FILE] [--evidence FOLDER] [--patience SECONDS] [--keep-going]
    classes: \(Work.allCases.map(\.rawValue).joined(separator: " "))
    """

  private(set) var seconds = 60
  private(set) var seed: UInt64 = 1
  /// How many databases; by the time when `nil`.
  private(set) var cases: Int?
  /// Things done to one database.
  private(set) var rounds = 24
  private(set) var classes = Set(Work.allCases)
  /// The program under test; the one built beside this one when `nil`.
  private(set) var program: String?
  private(set) var evidence = ".build/writers"
  /// Seconds after which rows that are not there count as missed.
  private(set) var patience = 60
  private(set) var keepsGoing = false

  init(_ words: some Sequence<String>) throws {
    var words = words.makeIterator()
    while let word = words.next() {
      func value() throws -> String {
        guard let next = words.next() else { throw UsageError(message: "\(word) needs a value") }
        return next
      }
      func number<N: FixedWidthInteger>(_ type: N.Type) throws -> N {
        let text = try value()
        guard let number = N(text), number >= 0 else {
          throw UsageError(message: "\(word): \"\(text)\" is no number from 0 up")
        }
        return number
      }
      func chosen() throws -> Set<Work> {
        try Set(
          value().split(separator: ",").map { name in
            guard let work = Work(rawValue: String(name)) else {
              throw UsageError(message: "unknown class \"\(name)\"")
            }
            return work
          })
      }
      switch word {
      case "--seconds": seconds = try number(Int.self)
      case "--seed": seed = try number(UInt64.self)
      case "--cases": cases = try number(Int.self)
      case "--rounds": rounds = try number(Int.self)
      case "--only": classes = try chosen().union([.write])
      case "--without": classes.subtract(try chosen())
      case "--program": program = try value()
      case "--evidence": evidence = try value()
      case "--patience": patience = try number(Int.self)
      case "--keep-going": keepsGoing = true
      case "-h", "--help": throw UsageError(message: "what there is:")
      default: throw UsageError(message: "unknown option \(word)")
      }
    }
  }
}
