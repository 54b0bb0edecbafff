import Glibc

/// What the system has counted for a process.
struct ProcessFigures {
  let pid: pid_t

  /// User and system time of all its threads so far, in nanoseconds.
  ///
  /// From its CPU clock: utime and stime of /proc/PID/stat count whole ticks of 10 ms.
  func cpuTime() throws(Failure) -> UInt64 {
    var clock = clockid_t()
    let result = clock_getcpuclockid(pid, &clock)
    guard result == 0 else { throw Failure(call: "clock_getcpuclockid", number: result) }
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { throw Failure(call: "clock_gettime") }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The most memory it ever had resident (VmHWM), in bytes.
  func peakMemory() throws(Failure) -> Int {
    let path = "/proc/\(pid)/status"
    for line in try TextFile.read(path).split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == "\t" }
      if words.count == 3, words[0] == "VmHWM:", let kilobytes = Int(words[1]) {
        return kilobytes * 1024
      }
    }
    throw Failure("\(path) has no VmHWM")
  }
}
