import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// A mailbox whose consumer is called.
@Suite(.timeLimit(.minutes(10)))
struct MailboxDeliveryTests {
  private func make(_ waiting: [Int]? = nil) -> Mailbox<[Int]> {
    Mailbox(message: waiting) { $0 += $1 }
  }

  @Test
  func `the message that waits comes at once, and the others as they are posted`() {
    let mailbox = make([1])
    let journal = Journal<[Int]>()
    mailbox.post([2])
    mailbox.deliver { journal.append($0) }
    #expect(journal.entries == [[1, 2]])
    mailbox.post([3])
    mailbox.post([4])
    #expect(journal.entries == [[1, 2], [3], [4]])
  }

  @Test
  func `what is posted by the handler itself is delivered after it, merged`() {
    let mailbox = make()
    let journal = Journal<[Int]>()
    let depth = Mutex(0)
    mailbox.deliver { message in
      depth.withLock { $0 += 1 }
      #expect(depth.withLock { $0 } == 1, "the handler runs once at a time")
      journal.append(message)
      if message == [1] {
        mailbox.post([2])
        mailbox.post([3])
      }
      depth.withLock { $0 -= 1 }
    }
    mailbox.post([1])
    #expect(journal.entries == [[1], [2, 3]])
  }

  @Test
  func `after cancelling, in the handler or outside, no call begins`() {
    let mailbox = make()
    let journal = Journal<[Int]>()
    mailbox.deliver { message in
      journal.append(message)
      mailbox.post([9])
      mailbox.cancel()
      mailbox.post([9])
    }
    mailbox.post([1])
    mailbox.post([2])
    #expect(journal.entries == [[1]])
    mailbox.cancel()
    #expect(journal.entries == [[1]])
  }

  @Test
  func `the end is told once, after the last message`() {
    let journal = Journal<String>()
    let mailbox = make()
    mailbox.deliver { message in
      journal.append("\(message)")
      mailbox.post([2])
      mailbox.finish()
      if message == [2] { journal.append("last") }
    } onEnd: {
      journal.append("end")
    }
    mailbox.post([1])
    mailbox.finish()
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
      let mailbox = make()
      weak var token: Token?
      do {
        let kept = Token()
        token = kept
        mailbox.deliver { [kept] _ in withExtendedLifetime(kept) {} }
      }
      #expect(token != nil)
      if ends { mailbox.finish() } else { mailbox.cancel() }
      #expect(token == nil)
    }
  }

  @Test
  func `no number is lost, repeated or out of order with several threads`() async {
    let mailbox = make()
    let seen = Mutex<[Int]>([])
    let running = Mutex(0)
    mailbox.deliver { message in
      #expect(
        running.withLock {
          $0 += 1; return $0
        } == 1)
      seen.withLock { $0 += message }
      running.withLock { $0 -= 1 }
    }
    await withTaskGroup { group in
      for start in 0..<4 {
        group.addTask {
          for number in 0..<500 { mailbox.post([number * 4 + start]) }
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
