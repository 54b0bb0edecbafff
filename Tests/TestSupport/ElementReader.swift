/// Takes the elements of a sequence one at a time, when the test asks for them.
package final class ElementReader<Elements: AsyncSequence> where Elements.Failure == Never {
  private var iterator: Elements.AsyncIterator

  package init(_ elements: Elements) { iterator = elements.makeAsyncIterator() }

  /// The next element; `nil` at the end.
  package func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async -> Elements.Element? {
    await iterator.next(isolation: actor)
  }
}
