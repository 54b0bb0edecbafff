import TestSupport
import Testing

/// A short run of Scripts/hostile, from a seed that is always the same.
@Suite(.fewAtOnce) struct HostileInputTests {
  @Test func `no damaged or crafted input crashes, hangs or takes memory without bound`()
    async throws
  {
    let folder = try TemporaryFolder()
    let result = try await RunningProgram.run([
      try BuiltProgram.path("HostileInput"), "--seed", "1", "--seconds", "25", "--count", "2000",
      "--keep", folder.path("failures"),
    ])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("0 failed"))
  }
}
