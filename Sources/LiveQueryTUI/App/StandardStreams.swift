import Glibc

/// Standard input, output and error.
enum StandardStreams {
  /// Occupies closed streams with a descriptor that refuses to be read or written.
  ///
  /// Otherwise the next file opened, for whatever purpose, would take the place of one and receive
  /// its output.
  static func occupyClosed() {
    for stream in 0...2 as ClosedRange<Int32> where fcntl(stream, F_GETFD) < 0 {
      // The lowest free descriptor is this one. Without /dev/null it stays closed, as it was.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
