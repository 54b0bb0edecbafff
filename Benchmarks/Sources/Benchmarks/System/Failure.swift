import Glibc

/// Why no figure can be given.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// A system call that failed, with what the system says of it.
  init(call: String, number: Int32 = errno) {
    self.init("\(call): \(String(cString: strerror(number)))")
  }
}
