internal import ObservationEngine

/// What SQLite runs for a query, as EXPLAIN lists it, as far as it decides the order of the rows.
///
/// Two are equal when they do the same with the same rows: cursors are numbered as they come, and what
/// has no effect on rows is left out.
///
/// See https://www.sqlite.org/opcode.html
struct Program: Equatable {
  private struct Instruction: Equatable {
    var opcode: String
    var operands: [Value]
  }

  /// What the operands of an opcode are.
  private struct Roles: OptionSet {
    let rawValue: Int
    static let firstIsCursor = Roles(rawValue: 1)
    static let thirdIsCursor = Roles(rawValue: 2)
    static let secondIsAddress = Roles(rawValue: 4)
  }

  private let instructions: [Instruction]

  /// - Parameter rows: Those of `EXPLAIN`.
  /// - Returns: `nil` when an instruction is unknown here: a sorter, a subquery, a coroutine, a temporary
  ///   table, or an instruction of a later SQLite.
  init?(_ rows: [[Value]]) {
    var addresses: [Int64: Int64] = [:]
    var next: Int64 = 0
    for (index, row) in rows.enumerated() {
      guard row.count >= 7 else { return nil }
      addresses[Int64(index)] = next
      if !Self.isIdle(row) { next += 1 }
    }
    var cursors: [Value: Int64] = [:]
    func number(_ cursor: Value) -> Value {
      if cursors[cursor] == nil { cursors[cursor] = Int64(cursors.count) }
      return .integer(cursors[cursor]!)
    }
    var instructions: [Instruction] = []
    for row in rows where !Self.isIdle(row) {
      guard case .text(let opcode) = row[1], let roles = Self.known[opcode] else { return nil }
      var operands = Array(row[2...6])
      if roles.contains(.firstIsCursor) { operands[0] = number(operands[0]) }
      if roles.contains(.thirdIsCursor) { operands[2] = number(operands[2]) }
      if roles.contains(.secondIsAddress) {
        guard case .integer(let address) = operands[1], let target = addresses[address] else {
          return nil
        }
        operands[1] = .integer(target)
      }
      instructions.append(Instruction(opcode: opcode, operands: operands))
    }
    self.instructions = instructions
  }

  /// Whether an instruction does nothing to rows: what became of a sorter that is not needed, and what
  /// a subquery does to the marks of JSON.
  private static func isIdle(_ row: [Value]) -> Bool { row[1] == "Noop" || row[1] == "ClrSubtype" }

  /// Whether it is one loop over the entries of one table, or of an index of it, that gives a row for
  /// each at most.
  var isOneLoop: Bool {
    var (loops, results, tables) = (0, 0, 0)
    for (address, instruction) in instructions.enumerated() {
      switch instruction.opcode {
      case "Next", "Prev":
        loops += 1
        continue
      case "ResultRow": results += 1
      // Of an index the fourth operand says how its keys compare.
      case "OpenRead" where !Self.isKey(instruction.operands[3]): tables += 1
      default: break
      }
      guard Self.known[instruction.opcode]?.contains(.secondIsAddress) == true,
        case .integer(let target) = instruction.operands[1], target <= Int64(address)
      else { continue }
      // The end of a program opens its transaction, and goes to where it begins.
      guard address == instructions.count - 1, target == 1 else { return false }
    }
    return loops == 1 && results == 1 && tables <= 1
  }

  private static func isKey(_ operand: Value) -> Bool {
    if case .text(let text) = operand { text.hasPrefix("k(") } else { false }
  }

  /// The functions that it calls, each as `name(count of arguments)`.
  var functions: [String] {
    instructions.filter { ["Function", "PureFunc"].contains($0.opcode) }.compactMap {
      if case .text(let name) = $0.operands[3] { name } else { nil }
    }
  }

  private static let known: [String: Roles] = {
    var known: [String: Roles] = [:]
    for opcode in [
      "Halt", "Transaction", "RealAffinity", "Affinity", "ResultRow", "Integer", "Int64", "Real",
      "String8", "Null", "Blob", "Variable", "Copy", "SCopy", "Function", "PureFunc", "Add",
      "Subtract", "Multiply", "Divide", "Remainder", "Concat", "Cast", "Not", "BitNot", "BitAnd",
      "BitOr", "And", "Or", "ShiftLeft", "ShiftRight", "CollSeq", "ZeroOrNull", "IsTrue",
    ] { known[opcode] = [] }
    for opcode in ["OpenRead", "Column", "Rowid", "IdxRowid", "ColumnsUsed"] {
      known[opcode] = .firstIsCursor
    }
    for opcode in [
      "Init", "Goto", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "ElseEq", "If", "IfNot", "IsNull",
      "NotNull", "Once",
    ] { known[opcode] = .secondIsAddress }
    for opcode in [
      "Rewind", "Last", "Next", "Prev", "SeekGE", "SeekGT", "SeekLE", "SeekLT", "IdxGT", "IdxGE",
      "IdxLT", "IdxLE",
    ] { known[opcode] = [.firstIsCursor, .secondIsAddress] }
    known["DeferredSeek"] = [.firstIsCursor, .thirdIsCursor]
    return known
  }()
}

extension Connection {
  /// What SQLite would run for a query with these arguments; `nil` when it cannot be judged.
  ///
  /// - Throws: `DatabaseError` when the query does not compile.
  func program(of sql: String, _ arguments: QueryArguments) throws -> Program? {
    Program(try instructions(of: sql, arguments))
  }

  /// Whether SQLite would sort rows for a query with these arguments.
  ///
  /// - Throws: `DatabaseError` when the query does not compile.
  func sorts(_ sql: String, _ arguments: QueryArguments) throws -> Bool {
    try instructions(of: sql, arguments).contains { $0[1] == "SorterOpen" }
  }
}
