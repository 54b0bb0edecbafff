// Questions come at any time: from the console, the undo, the hooks. One is asked at a time, and none takes the
// place of another, whose answer may be on its way.

extension DashboardState {
  /// Asks, now or once what is asked now has been answered.
  mutating func ask(_ question: Question) {
    guard self.question != nil else {
      self.question = question
      return
    }
    // Of hooks the newest request is what is asked about.
    guard self.question != question, !waitingQuestions.contains(question) else { return }
    waitingQuestions.append(question)
  }

  /// The question is answered: the next one is asked.
  mutating func askNext() {
    question = waitingQuestions.isEmpty ? nil : waitingQuestions.removeFirst()
  }
}
