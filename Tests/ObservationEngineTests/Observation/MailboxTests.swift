import TestSupport
import Testing

@testable import ObservationEngine

@Suite(.fewAtOnce)
struct MailboxTests {
  private func make() -> Mailbox<[Int]> { Mailbox { $0 += $1 } }

  @Test
  func `a message that waits is delivered at once`() async {
    let mailbox = make()
    mailbox.post([1])
    #expect(await mailbox.next() == [1])
  }

  @Test
  func `messages merge while nobody takes them`() async {
    let mailbox = make()
    mailbox.post([1])
    mailbox.post([2])
    mailbox.post([3])
    #expect(await mailbox.next() == [1, 2, 3])
    mailbox.post([4])
    #expect(await mailbox.next() == [4])
  }

  @Test
  func `a consumer that waits gets the next message, and the one after`() async {
    let mailbox = make()
    for number in 1...100 {
      let consumer = Task { await mailbox.next() }
      if number % 2 == 0 { await Task.yield() }
      mailbox.post([number])
      #expect(await consumer.value == [number])
    }
  }

  @Test
  func `cancelling ends the wait, and loses no message`() async {
    let mailbox = make()
    for _ in 1...100 {
      let consumer = Task { await mailbox.next() }
      consumer.cancel()
      #expect(await consumer.value == nil)
    }
    mailbox.post([1])
    #expect(await mailbox.next() == [1])
  }

  @Test
  func `cancelling while a message is posted gives it to the one or to the next`() async {
    let mailbox = make()
    for number in 1...200 {
      let consumer = Task { await mailbox.next() }
      let producer = Task { mailbox.post([number]) }
      consumer.cancel()
      await producer.value
      if let message = await consumer.value {
        #expect(message == [number])
      } else {
        #expect(await mailbox.next() == [number])
      }
    }
  }

  @Test
  func `after the end a message that waits is delivered, and then none`() async {
    let mailbox = make()
    mailbox.post([1])
    mailbox.finish()
    mailbox.post([2])
    #expect(await mailbox.next() == [1])
    #expect(await mailbox.next() == nil)
    mailbox.finish()
    #expect(await mailbox.next() == nil)
  }

  @Test
  func `the end reaches a consumer that waits`() async {
    let mailbox = make()
    let consumer = Task { await mailbox.next() }
    await Task.yield()
    mailbox.finish()
    #expect(await consumer.value == nil)
  }

  @Test
  func `no number is lost or repeated between a fast producer and its consumer`() async {
    let mailbox = make()
    let producer = Task {
      for number in 1...2_000 {
        mailbox.post([number])
        if number % 7 == 0 { await Task.yield() }
      }
      mailbox.finish()
    }
    var seen: [Int] = []
    while let message = await mailbox.next() { seen += message }
    #expect(seen == Array(1...2_000))
    await producer.value
  }
}
