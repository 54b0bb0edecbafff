import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// A channel whose consumer is called.
@Suite(.timeLimit(.minutes(10)))
struct NewestValueDeliveryTests {
  private func make(_ waiting: Numbers? = nil) -> NewestValue<Numbers> { NewestValue(waiting) }

  @Test
  func `the message that waits comes at once, and the others as they are posted`() {
    let channel = make([1])
    let journal = Journal<Numbers>()
    channel.post([2])
    channel.deliver { journal.append($0) }
    #expect(journal.entries == [[1, 2]])
    channel.post([3])
    channel.post([4])
    #expect(journal.entries == [[1, 2], [3], [4]])
  }

  @Test
  func `what is posted by the handler itself is delivered after it, merged`() {
    let channel = make()
    let journal = Journal<Numbers>()
    let depth = Mutex(0)
    channel.deliver { message in
      depth.withLock { $0 += 1 }
      #expect(depth.withLock { $0 } == 1, "the handler runs once at a time")
      journal.append(message)
      if message == [1] {
        channel.post([2])
        channel.post([3])
      }
      depth.withLock { $0 -= 1 }
    }
    channel.post([1])
    #expect(journal.entries == [[1], [2, 3]])
  }

  @Test
  func `after cancelling, in the handler or outside, no call begins`() {
    let channel = make()
    let journal = Journal<Numbers>()
    channel.deliver { message in
      journal.append(message)
      channel.post([9])
      channel.cancel()
      channel.post([9])
    }
    channel.post([1])
    channel.post([2])
    #expect(journal.entries == [[1]])
    channel.cancel()
    #expect(journal.entries == [[1]])
  }

  @Test
  func `the end is told once, after the last message`() {
    let journal = Journal<String>()
    let channel = make()
    channel.deliver { message in
      journal.append("\(message)")
      channel.post([2])
      channel.finish()
      if message == [2] { journal.append("last") }
    } onEnd: {
      journal.append("end")
    }
    channel.post([1])
    channel.finish()
    #expect(journal.entries == ["[1]", "[2]", "last", "end"])
    let late = make()
    late.finish()
    late.deliver { _ in
      journal.append("never")
    } onEnd: {
      journal.append("late end")
    }
    #expect(journal.entries.last == "late end")
  }

  @Test
  func `a handler is released by cancelling, and at the end`() {
    final class Token: Sendable {}
    for ends in [true, false] {
      let channel = make()
      weak var token: Token?
      do {
        let kept = Token()
        token = kept
        channel.deliver { [kept] _ in withExtendedLifetime(kept) {} }
      }
      #expect(token != nil)
      if ends { channel.finish() } else { channel.cancel() }
      #expect(token == nil)
    }
  }

  @Test
  func `no number is lost, repeated or out of order with several threads`() async {
    let channel = make()
    let seen = Mutex<[Int]>([])
    let running = Mutex(0)
    channel.deliver { message in
      #expect(
        running.withLock {
          $0 += 1; return $0
        } == 1)
      seen.withLock { $0 += message.list }
      running.withLock { $0 -= 1 }
    }
    await withTaskGroup { group in
      for start in 0..<4 {
        group.addTask {
          for number in 0..<500 { channel.post([number * 4 + start]) }
        }
      }
    }
    let numbers = seen.withLock { $0 }
    #expect(numbers.sorted() == Array(0..<2_000))
    for start in 0..<4 {
      let own = numbers.filter { $0 % 4 == start }
      #expect(own == own.sorted())
    }
  }
}
