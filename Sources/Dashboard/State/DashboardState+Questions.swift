// Questions may arise at any time: from the console, the undo, the hooks. Only one is asked at a
// time, and none replaces another whose answer may be on its way.

extension DashboardState {
  /// Asks now, or once the current question has been answered.
  mutating func ask(_ question: Question) {
    guard self.question != nil else {
      self.question = question
      return
    }
    // For hooks, the newest request replaces earlier ones.
    guard self.question != question, !waitingQuestions.contains(question) else { return }
    waitingQuestions.append(question)
  }

  /// The question has been answered: asks the next one.
  mutating func askNext() {
    question = waitingQuestions.isEmpty ? nil : waitingQuestions.removeFirst()
  }
}
