import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite(.serialized) struct MainLoopTests {
  @Test func `the loop ends with the first status that it is given`() async {
    let status = await LoopThread.run { loop in
      loop.stop(status: 3)
      loop.stop(status: 4)
    }
    #expect(status == 3)
  }

  @Test func `code of the screen runs on the thread of the loop`() async {
    let log = Log()
    let status = await LoopThread.run { loop in
      let thread = pthread_self()
      Task.detached {
        await log.add("\(thread == ScreenActorProbe.thread())")
        await loop.stop(status: 0)
      }
    }
    #expect(status == 0)
    #expect(log.all == ["true"])
  }

  @Test func `jobs run in the order in which they came`() async {
    let log = Log()
    _ = await LoopThread.run { loop in
      for number in 1...5 { Task { @ScreenActor in log.add("\(number)") } }
      Task { @ScreenActor in loop.stop(status: 0) }
    }
    #expect(log.all == ["1", "2", "3", "4", "5"])
  }

  @Test func `a task of the screen that has waited is resumed without another thread`() async {
    let log = Log()
    _ = await LoopThread.run { loop in
      ScreenActor.task {
        // Another thread would be fast enough now and then.
        for _ in 1...100 {
          await withCheckedContinuation { continuation in
            Task { @ScreenActor in
              continuation.resume()
              var jobs = pollfd(
                fd: ScreenActor.executor.descriptor, events: Int16(POLLIN), revents: 0)
              if poll(&jobs, 1, 0) != 1 { log.add("not enqueued") }
            }
          }
        }
        loop.stop(status: 0)
      }
    }
    #expect(log.all == [])
  }

  @Test func `a job that comes back for ever does not starve the rest`() async {
    let status = await LoopThread.run { loop in
      let forever = Task { @ScreenActor in
        while !Task.isCancelled { await Task.yield() }
      }
      loop.onSignal = { _ in
        forever.cancel()
        loop.stop(status: 0)
      }
      pthread_kill(pthread_self(), SIGTERM)
    }
    #expect(status == 0)
  }

  @Test(
    arguments: [
      (SIGHUP, 129), (SIGINT, 130), (SIGQUIT, 131), (SIGUSR1, 138), (SIGUSR2, 140), (SIGALRM, 142),
      (SIGTERM, 143), (16, 144), (SIGXCPU, 152), (SIGXFSZ, 153), (SIGVTALRM, 154), (SIGIO, 157),
      (SIGPWR, 158), (34, 162), (64, 192),
    ] as [(Int32, Int32)])
  func `a signal that nobody handles ends the loop as a shell expects`(
    _ signal: Int32, _ expected: Int32
  ) async {
    let status = await LoopThread.run { _ in pthread_kill(pthread_self(), signal) }
    #expect(status == expected)
  }

  @Test func `a handler takes the place of what a signal does by default`() async {
    let log = Log()
    let status = await LoopThread.run { loop in
      loop.onSignal = { signal in
        log.add("\(signal)")
        // Of several pending signals the one with the lowest number is read first.
        if signal == .resize { loop.stop(status: 0) }
      }
      pthread_kill(pthread_self(), SIGWINCH)
      pthread_kill(pthread_self(), SIGCONT)
      pthread_kill(pthread_self(), SIGTERM)
    }
    #expect(status == 0)
    #expect(log.all == ["end(15)", "continue", "resize"])
  }

  @Test func `a deadline that has come calls its handler once`() async {
    let log = Log()
    let status = await LoopThread.run { loop in
      loop.deadline = 0
      loop.onDeadline = {
        log.add("deadline \(loop.deadline == nil)")
        Task { @ScreenActor in loop.stop(status: 0) }
      }
    }
    #expect(status == 0)
    #expect(log.all == ["deadline true"])
  }

  @Test func `input that can be read calls its handler`() async throws {
    let log = Log()
    let ends = try Pipe()
    _ = await LoopThread.run { loop in
      loop.onInput = MainLoop.Input(descriptor: ends.reading) {
        log.add(ends.readText())
        loop.stop(status: 0)
      }
      ends.write("key")
    }
    #expect(log.all == ["key"])
  }

  @Test func `input that is gone is a hang-up`() async throws {
    let ends = try Pipe()
    let status = await LoopThread.run { loop in
      loop.onInput = MainLoop.Input(descriptor: ends.reading) { loop.stop(status: 1) }
      ends.closeWriting()
    }
    #expect(status == 129)
  }

  @Test func `what a terminal that is gone has left is read once`() async throws {
    let log = Log()
    let ends = try Pipe()
    let status = await LoopThread.run { loop in
      loop.onInput = MainLoop.Input(descriptor: ends.reading) { log.add(ends.readText()) }
      ends.write("key")
      ends.closeWriting()
    }
    #expect(status == 129)
    #expect(log.all == ["key"])
  }

  @Test func `a terminal that hangs up can be read, and is gone`() async throws {
    var pseudoTerminal: PseudoTerminal? = PseudoTerminal()
    let descriptor = open(pseudoTerminal?.path ?? "", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    pseudoTerminal = nil
    let log = Log()
    let status = await LoopThread.run { loop in
      loop.onInput = MainLoop.Input(descriptor: descriptor) { log.add("readable") }
    }
    #expect(status == 129)
    #expect(log.all.count <= 1)
  }

  @Test func `the end of a turn comes once for all that came together`() async {
    let log = Log()
    _ = await LoopThread.run { loop in
      loop.onTurnEnd = {
        log.add("end")
        if log.all.contains("job") { loop.stop(status: 0) }
      }
      for _ in 1...3 { Task { @ScreenActor in log.add("job") } }
    }
    #expect(log.all == ["end", "job", "job", "job", "end"])
  }

  @Test func `nothing is drawn after the loop was stopped`() async {
    let log = Log()
    _ = await LoopThread.run { loop in
      loop.onTurnEnd = { log.add("end") }
      loop.stop(status: 0)
    }
    #expect(log.all == [])
  }
}

private enum ScreenActorProbe {
  @ScreenActor static func thread() -> pthread_t { pthread_self() }
}

/// Both ends of a pipe.
private final class Pipe: Sendable {
  let reading: Int32
  private let writing: Int32

  init() throws { (reading, writing) = try RunningProgram.pipe() }

  func write(_ text: String) { _ = Glibc.write(writing, text, text.utf8.count) }
  func closeWriting() { close(writing) }

  func readText() -> String {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(reading, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
