import Dashboard
import Glibc
import ObservationEngine
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite(.fewAtOnce) struct ChildProcessTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    // As the program does: a command that does not read is no reason to end.
    signal(SIGPIPE, SIG_IGN)
  }

  private func run(
    _ words: String..., input: String = "", limit: Duration = .seconds(60)
  ) async -> ChildProcess.Outcome {
    let child = ChildProcess(
      words: words, folder: folder.path, input: Array(input.utf8), limit: limit)
    return await onOwnThread { child.run() }
  }

  private func script(_ text: String, mode: mode_t = 0o755) throws -> String {
    let path = try folder.write(text, to: "hook")
    chmod(path, mode)
    return path
  }

  private func text(_ outcome: ChildProcess.Outcome) -> String {
    String(decoding: outcome.output, as: UTF8.self)
  }

  @Test func `a command reads its input and its words, in its folder`() async throws {
    let outcome = await run(
      "sh", "-c", "cat; echo \"$0|$1\"; pwd", "a b", "*", input: "{\"a\":1}\n")
    #expect(outcome.status == .exited(0, complaint: ""))
    #expect(text(outcome) == "{\"a\":1}\na b|*\n\(folder.path)\n")
  }

  @Test func `no shell comes between`() async throws {
    let outcome = await run("printf", "%s", "$HOME;`id`|*")
    #expect(text(outcome) == "$HOME;`id`|*")
  }

  @Test func `a failure is told by its status and its first line`() async throws {
    let outcome = await run("sh", "-c", "echo; echo no network >&2; echo more; exit 3")
    #expect(outcome.status == .exited(3, complaint: "no network"))
  }

  @Test func `a command that a signal ends is told apart`() async throws {
    #expect(await run("sh", "-c", "kill -KILL $$").status == .killed(signal: 9))
  }

  @Test func `a command that does not exist is told`() async throws {
    #expect(await run("./missing").status == .failed("No such file or directory"))
    #expect(await run("livequery-no-such-command").status == .failed("No such file or directory"))
  }

  @Test func `what cannot be executed is told with the remedy`() async throws {
    _ = try script("#!/bin/sh\n", mode: 0o644)
    #expect(await run("./hook").status == .failed("Permission denied; is it executable?"))
    _ = try script("echo no interpreter\n")
    #expect(
      await run("./hook").status == .failed("Exec format error; does it begin with #!/bin/sh?"))
  }

  @Test func `a command that hangs is killed with all that it started`() async throws {
    let line = try LifeLine(in: folder)
    let outcome = await run("sh", "-c", line.stubbornScript, limit: .seconds(10))
    #expect(outcome.status == .timedOut(.seconds(10)))
    try await line.waitForWord()
    try await line.waitForEnd()
  }

  @Test func `a command that is stopped is killed with all that it started`() async throws {
    let line = try LifeLine(in: folder)
    let child = ChildProcess(
      words: ["sh", "-c", line.stubbornScript], folder: folder.path, input: [],
      limit: .seconds(3_600))
    async let outcome = onOwnThread { child.run() }
    // Whatever fails: the test ends when the command does.
    defer { child.stop() }
    try await line.waitForWord()
    child.stop()
    #expect(await outcome.status == .killed(signal: SIGKILL))
    try await line.waitForEnd()
  }

  @Test func `a command that heeds SIGTERM ends by it`() async throws {
    let line = try LifeLine(in: folder)
    let script = "trap 'exit 7' TERM; exec >'\(line.path)'; echo up; sleep 1000 & wait"
    let child = ChildProcess(
      words: ["sh", "-c", script], folder: folder.path, input: [], limit: .seconds(3_600))
    async let outcome = onOwnThread { child.run() }
    // Whatever fails: the test ends when the command does.
    defer { child.stop() }
    try await line.waitForWord()
    child.stop()
    #expect(await outcome.status == .exited(7, complaint: ""))
    try await line.waitForEnd()
  }

  @Test func `a command that is stopped before it begins does not`() async throws {
    let child = ChildProcess(
      words: ["touch", "got"], folder: folder.path, input: [], limit: .seconds(3_600))
    child.stop()
    let outcome = await onOwnThread { child.run() }
    #expect(outcome.status != .exited(0, complaint: ""))
    #expect(!folder.names.contains("got"))
  }

  @Test func `a stopped command does not outlive its time`() async throws {
    let outcome = await run("sh", "-c", "kill -STOP $$", limit: .milliseconds(100))
    #expect(outcome.status == .timedOut(.milliseconds(100)))
  }

  @Test func `of ten megabytes a little is kept, and the command is not held up`() async throws {
    let outcome = await run("head", "-c", "10000000", "/dev/zero")
    #expect(outcome.status == .exited(0, complaint: ""))
    #expect(outcome.output.count == ChildProcess.outputLimit)
    #expect(outcome.written == 10_000_000)
  }

  @Test func `a command that never stops writing is killed in time`() async throws {
    #expect(await run("yes", limit: .milliseconds(100)).status == .timedOut(.milliseconds(100)))
  }

  @Test func `a command that does not read is not waited for`() async throws {
    let input = String(repeating: "x", count: 1_000_000)
    #expect(await run("true", input: input).status == .exited(0, complaint: ""))
  }

  @Test func `a command that reads slowly gets everything`() async throws {
    let input = String(repeating: "x", count: 1_000_000)
    #expect(text(await run("sh", "-c", "cat | wc -c", input: input)).contains("1000000"))
  }

  @Test func `what goes on in the background is not waited for`() async throws {
    let outcome = await run("sh", "-c", "sleep 30 & echo done")
    #expect(outcome.status == .exited(0, complaint: ""))
    #expect(text(outcome) == "done\n")
  }

  @Test func `a command has no terminal and none of our files`() async throws {
    let outcome = await run(
      "sh", "-c", "ls /proc/self/fd | wc -l; (: </dev/tty) 2>/dev/null || echo none")
    // Standard input, output, error, and the folder that ls reads.
    #expect(text(outcome).split(separator: "\n").map { $0.filter { $0 != " " } } == ["4", "none"])
  }

  @Test func `a command gets signals as any program`() async throws {
    let outcome = await run("sh", "-c", "grep -E 'SigBlk|SigIgn' /proc/self/status")
    // Two signals beyond the 31 are the C library's own.
    #expect(text(outcome).split(separator: "\n").allSatisfy { $0.hasSuffix("0000000") })
  }
}
