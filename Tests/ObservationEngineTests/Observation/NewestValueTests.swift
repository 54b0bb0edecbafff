import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

@Suite(.fewAtOnce)
struct NewestValueTests {
  private func make() -> NewestValue<Numbers> { NewestValue() }

  @Test
  func `a message that waits is delivered at once`() async {
    let channel = make()
    channel.post([1])
    #expect(await channel.next() == [1])
  }

  @Test
  func `messages merge while nobody takes them`() async {
    let channel = make()
    channel.post([1])
    channel.post([2])
    channel.post([3])
    #expect(await channel.next() == [1, 2, 3])
    channel.post([4])
    #expect(await channel.next() == [4])
  }

  @Test
  func `a consumer that waits gets the next message, and the one after`() async {
    let channel = make()
    for number in 1...100 {
      let consumer = Task { await channel.next() }
      if number % 2 == 0 { await Task.yield() }
      channel.post([number])
      #expect(await consumer.value == [number])
    }
  }

  @Test
  func `cancelling ends the wait, and loses no message`() async {
    let channel = make()
    for _ in 1...100 {
      let consumer = Task { await channel.next() }
      consumer.cancel()
      #expect(await consumer.value == nil)
    }
    channel.post([1])
    #expect(await channel.next() == [1])
  }

  @Test
  func `cancelling while a message is posted gives it to the one or to the next`() async {
    let channel = make()
    for number in 1...200 {
      let consumer = Task { await channel.next() }
      let producer = Task { channel.post([number]) }
      consumer.cancel()
      await producer.value
      if let message = await consumer.value {
        #expect(message == [number])
      } else {
        #expect(await channel.next() == [number])
      }
    }
  }

  @Test
  func `after the end a message that waits is delivered, and then none`() async {
    let channel = make()
    channel.post([1])
    channel.finish()
    channel.post([2])
    #expect(await channel.next() == [1])
    #expect(await channel.next() == nil)
    channel.finish()
    #expect(await channel.next() == nil)
  }

  @Test
  func `the end reaches a consumer that waits`() async {
    let channel = make()
    let consumer = Task { await channel.next() }
    await Task.yield()
    channel.finish()
    #expect(await consumer.value == nil)
  }

  @Test
  func `no number is lost or repeated between a fast producer and its consumer`() async {
    let channel = make()
    let producer = Task {
      for number in 1...2_000 {
        channel.post([number])
        if number % 7 == 0 { await Task.yield() }
      }
      channel.finish()
    }
    var seen: [Int] = []
    while let message = await channel.next() { seen += message.list }
    #expect(seen == Array(1...2_000))
    await producer.value
  }

  // MARK: - News

  @Test
  func `what changed and came back while it waited is no news`() async {
    let channel = NewestValue<Word>(known: .init())
    channel.post(Word("a"))
    #expect(await channel.next() == Word("a"))
    channel.post(Word("b"))
    channel.post(Word("a"))
    channel.post(Word("c"))
    channel.post(Word("a"))
    channel.finish()
    #expect(await channel.next() == nil)
  }

  @Test
  func `a consumer that waits is not woken for what is no news`() async {
    let channel = NewestValue<Word>(known: .init("a"))
    let consumer = Task { await channel.next() }
    for _ in 1...100 {
      channel.post(Word("a"))
      await Task.yield()
    }
    channel.post(Word("b"))
    #expect(await consumer.value == Word("b"))
  }

  @Test
  func `messages are compared once each, in order, and under no lock`() async {
    let compared = Journal<String>()
    let channel = NewestValue<Word>(known: .init("a"))
    let word = { (text: String) in
      Word(text) {
        compared.append(text)
        // Whatever the application does in its comparison, the channel is free.
        channel.post(Word("in \(text)"))
      }
    }
    let given = Journal<String>()
    channel.deliver { given.append($0.text) }
    channel.post(word("a"))
    #expect(compared.entries == ["a"])
    #expect(given.entries == ["in a"])
    channel.post(word("b"))
    #expect(compared.entries == ["a", "b"])
    #expect(given.entries == ["in a", "b", "in b"])
  }

  @Test
  func `cancelling in the comparison keeps the handler from being called`() {
    let channel = NewestValue<Word>(known: .init("a"))
    let given = Journal<String>()
    channel.deliver { given.append($0.text) }
    channel.post(Word("b") { channel.cancel() })
    channel.post(Word("c"))
    #expect(given.entries.isEmpty)
  }

  @Test
  func `news for a task that is cancelled in the comparison are the next one's`() async {
    let channel = NewestValue<Word>(known: .init("a"))
    let consumer = Task { await channel.next() }
    // A message is compared once the task waits.
    let compared = Mutex(false)
    while !compared.withLock({ $0 }) {
      channel.post(Word("a") { compared.withLock { $0 = true } })
      await Task.yield()
    }
    channel.post(Word("b") { consumer.cancel() })
    #expect(await consumer.value == nil)
    channel.post(Word("b"))
    #expect(await channel.next() == Word("b"))
    channel.finish()
    #expect(await channel.next() == nil)
  }

  @Test
  func `a cancelled task is given what waits, and waits for nothing`() async {
    let channel = NewestValue<Word>(known: .init("a"))
    for (posted, expected) in [("b", "b"), ("b", nil), (nil, nil)] as [(String?, String?)] {
      if let posted { channel.post(Word(posted)) }
      let consumer = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await channel.next()
      }
      #expect(await consumer.value?.text == expected)
    }
  }

  @Test
  func `what is merged away, replaced or dropped is released under no lock`() async {
    let channel = NewestValue<Word>(known: .init())
    // Its end uses the channel, which would not return if that were locked.
    func word(_ text: String) -> Word {
      Word(text, released: { channel.post(Word("end of \(text)")) })
    }
    channel.post(word("a"))
    channel.post(word("b"))
    #expect(await channel.next() == Word("end of b"))
    channel.post(word("c"))
    channel.cancel()
    #expect(await channel.next() == nil)
  }
}

/// Numbers that merge by being joined; all are news.
struct Numbers: NewestMessage, Equatable, ExpressibleByArrayLiteral, CustomStringConvertible {
  var list: [Int]

  init(arrayLiteral elements: Int...) { list = elements }

  mutating func merge(_ newer: Numbers) { list += newer.list }

  var description: String { "\(list)" }
}

/// A word that replaces the one before, and is news unless it is the word known.
private struct Word: NewestMessage, Equatable {
  struct Known: Sendable {
    var text: String?
    var token: Token?

    init(_ text: String? = nil) { self.text = text }
  }

  final class Token: Sendable {
    let released: @Sendable () -> Void

    init(_ released: @escaping @Sendable () -> Void) { self.released = released }

    deinit { released() }
  }

  var text: String
  private var compared: @Sendable () -> Void
  private var token: Token?

  init(
    _ text: String, _ compared: @escaping @Sendable () -> Void = {},
    released: (@Sendable () -> Void)? = nil
  ) {
    self.text = text
    self.compared = compared
    token = released.map { Token($0) }
  }

  mutating func merge(_ newer: Word) { self = newer }

  func news(to known: inout Known) -> Word? {
    compared()
    guard known.text != text else { return nil }
    (known.text, known.token) = (text, token)
    return self
  }

  static func == (left: Word, right: Word) -> Bool { left.text == right.text }
}
