import Testing

@testable import ObservationEngine

struct MaintenanceCostTests {
  @Test func `what took long once is not worth a state`() {
    var cost = MaintenanceCost()
    cost.noteRun(10_000_000)
    #expect(!cost.isKnown && !cost.isWorthwhile(rows: 1))
    cost.noteRun(5_000)
    #expect(cost.isNegligible)
    // It waited for a processor.
    cost.noteRun(50_000_000)
    #expect(cost.isNegligible)
    cost.noteRun(5_000)
    #expect(cost.isNegligible && !cost.isWorthwhile(rows: 1))
  }

  @Test func `what takes long each time is, unless many rows changed`() {
    var cost = MaintenanceCost()
    for _ in 1...2 { cost.noteRun(1_000_000) }
    #expect(cost.isWorthwhile(rows: 1) && !cost.isNegligible)
    #expect(!cost.isWorthwhile(rows: 1_000))
    cost.noteMaintenance(600_000, rows: 1)
    #expect(cost.isWorthwhile(rows: 1), "it took long only once")
    cost.noteMaintenance(600_000, rows: 1)
    #expect(!cost.isWorthwhile(rows: 1))
  }

  @Test func `a query that begins to take long is worth one soon`() {
    var cost = MaintenanceCost()
    for _ in 1...100 { cost.noteRun(5_000) }
    var runs = 0
    while !cost.isWorthwhile(rows: 1) {
      cost.noteRun(1_000_000)
      runs += 1
    }
    #expect(runs == 2)
  }

  @Test func `a maintained result saves what running the query takes usually`() {
    var cost = MaintenanceCost()
    #expect(cost.saving(of: 10) == 0)
    for _ in 1...2 { cost.noteRun(1_000) }
    #expect(cost.saving(of: 400) == 600)
    #expect(cost.saving(of: 1_400) == 0)
  }
}
