/// Waits until something is so, looking again and again.
///
/// - Parameter what: What is awaited, for the complaint.
/// - Throws: When it is not so two minutes later, which is far beyond what a loaded machine needs.
package func wait(
  for what: String, until isSo: () async throws -> Bool
) async throws {
  let limit = ContinuousClock.now.advanced(by: .seconds(120))
  while true {
    // A look takes long itself where much else runs: one that began in time proves nothing.
    let beginning = ContinuousClock.now
    if try await isSo() { return }
    guard beginning < limit else { throw Unexpected("waited in vain for \(what)") }
    // No synchronisation: it only leaves the processor to those who are waited for.
    try await Task.sleep(for: .milliseconds(5))
  }
}
