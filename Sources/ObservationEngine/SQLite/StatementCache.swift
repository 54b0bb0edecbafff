/// Prepared statements by their SQL; evicts the least recently used first.
///
///     index: SQL ──▶ slot       newest ⇄ … ⇄ oldest       lent: in use by a caller
///
/// - Complexity: O(1) per operation, apart from hashing the SQL.
struct StatementCache {
  private struct Slot {
    var statement: Statement
    var isLent: Bool
    var newer: Int
    var older: Int
  }

  private var slots: [Slot] = []
  private var index: [ExactText: Int] = [:]
  private var newest = -1
  private var oldest = -1
  private let capacity: Int
  /// Counts ``removeAll()``: statements lent before it are not taken back.
  private var generation = 0

  init(capacity: Int) {
    self.capacity = capacity
    slots.reserveCapacity(capacity)
  }

  /// Lends a statement; no other caller gets it until it is put back.
  mutating func take(_ sql: String) -> Statement? {
    // A loop runs the same text; only other texts need a hash.
    let isNewest = newest >= 0 && slots[newest].statement.sql.isExactly(sql)
    guard let place = isNewest ? newest : index[ExactText(sql)], !slots[place].isLent else {
      return nil
    }
    slots[place].isLent = true
    return slots[place].statement
  }

  /// Marks a newly prepared statement as one that may be ``put(_:)`` here.
  func adopt(_ statement: Statement) {
    statement.cacheSlot = -1
    statement.cacheGeneration = generation
  }

  /// Takes a statement back, or adds a new one.
  mutating func put(_ statement: Statement) {
    guard statement.cacheGeneration == generation else { return }
    var place = statement.cacheSlot
    if place >= 0 {
      slots[place].isLent = false
      guard place != newest else { return }
      unlink(place)
    } else {
      let sql = ExactText(statement.sql)
      guard index[sql] == nil, let free = makeRoom(for: statement) else { return }
      place = free
      index[sql] = place
      statement.cacheSlot = place
    }
    linkAsNewest(place)
  }

  /// Drops all statements, including lent ones.
  mutating func removeAll() {
    generation += 1
    slots.removeAll(keepingCapacity: true)
    index.removeAll(keepingCapacity: true)
    newest = -1
    oldest = -1
  }

  /// - Returns: `nil` when every statement is lent.
  private mutating func makeRoom(for statement: Statement) -> Int? {
    let slot = Slot(statement: statement, isLent: false, newer: -1, older: -1)
    if slots.count < capacity {
      slots.append(slot)
      return slots.count - 1
    }
    // At most as many are lent as calls are nested.
    var place = oldest
    while place >= 0, slots[place].isLent { place = slots[place].newer }
    guard place >= 0 else { return nil }
    unlink(place)
    let evicted = slots[place].statement
    index[ExactText(evicted.sql)] = nil
    evicted.cacheSlot = -1
    slots[place] = slot
    return place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (slots[place].newer, slots[place].older)
    if newer >= 0 { slots[newer].older = older } else { newest = older }
    if older >= 0 { slots[older].newer = newer } else { oldest = newer }
  }

  private mutating func linkAsNewest(_ place: Int) {
    slots[place].newer = -1
    slots[place].older = newest
    if newest >= 0 { slots[newest].newer = place } else { oldest = place }
    newest = place
  }
}
