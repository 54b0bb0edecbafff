import Glibc

/// Standard input, output and error.
enum StandardStreams {
  /// Occupies those that are closed with something that refuses to be read or written.
  ///
  /// Otherwise the next file that is opened, whatever it is for, would take the place of one, and
  /// get what is written to it.
  static func occupyClosed() {
    for stream in 0...2 as ClosedRange<Int32> where fcntl(stream, F_GETFD) < 0 {
      // The lowest free descriptor is this one. Without /dev/null it stays closed, as it was.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
