@testable import ObservationEngine

extension SelectText {
  /// - Throws: ``NotMaintainable``, also when the statement is several SELECTs.
  init(_ sql: String) throws {
    let selects = try Self.selects(ofView: sql)
    guard selects.count == 1 else { throw NotMaintainable("several SELECTs") }
    self = selects[0]
  }
}
