/// Numbers of which each differs from the one before in every digit, so that a terminal which is
/// sent what changed is sent all of it.
struct ChangingNumber {
  private var step = 0

  /// The next number, and how a table shows it.
  mutating func next() -> (number: Int, shown: String) {
    step += 1
    let digits = (0..<9).map { String((step + $0) % 9 + 1) }
    let groups = [0, 3, 6].map { digits[$0..<$0 + 3].joined() }
    return (Int(digits.joined()) ?? 0, groups.joined(separator: " "))
  }
}
