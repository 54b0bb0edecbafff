internal import CSQLite

extension Double {
  /// This number as the SQLite in use prints it, with as many digits as it takes to read the same
  /// number again: `0.1`, `1.0`, `0.30000000000000004`, `1.0e+25`, `-Inf`.
  ///
  /// SQLite itself shows 15 significant digits, which often read as a number nearby. Where 15 are
  /// enough, the text is that of `CAST(x AS TEXT)`.
  package var sqliteText: String {
    // A subnormal number has fewer digits.
    for digits in (isSubnormal ? 1 : 15)...17 {
      let text = printed(digits: Int32(digits))
      if Double(text) == self { return text }
    }
    // 17 are enough when all of them are right, but SQLite 3.40 errs in the last one beyond 1e200.
    // The standard library never does, and its layout of such numbers is the same.
    return description
  }

  /// The same as a literal of SQL and of JSON, which have no word for infinity: both read `1e999` as
  /// infinity.
  package var sqliteLiteral: String {
    guard isInfinite else { return sqliteText }
    return self < 0 ? "-1e999" : "1e999"
  }

  private func printed(digits: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 48) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      lq_print_real(start, Int32(buffer.count), digits, self)
      return String(cString: start)
    }
  }
}
