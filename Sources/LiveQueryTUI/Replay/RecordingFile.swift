import Dashboard
import Dispatch
import Glibc
import ObservationEngine
import Synchronization

/// The file of `--record`: a new file, written on a separate queue so that a slow disk doesn't
/// delay the screen.
///
/// Any thread may write; the lines of one thread keep their order.
final class RecordingFile: Sendable {
  /// The maximum bytes that may wait for the disk; a recording with lines missing would be wrong.
  private static let waitingLimit = 64_000_000

  private let path: String
  private let writer: RecordingWriter
  private let queue = DispatchQueue(label: "livequery.recording")
  private let descriptor: Int32
  /// The bytes on their way to the disk, and the number of the error that ended it.
  private let progress = Mutex<(waiting: Int, error: Int32, isTold: Bool)>((0, 0, false))

  /// Creates the file; never overwrites an existing one.
  ///
  /// - Throws: ``Failure``.
  init(path: String, _ dashboard: LoadedDashboard, _ arguments: Arguments) throws(Failure) {
    self.path = path
    writer = RecordingWriter(start: MonotonicClock.now)
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Failure(
        errno == EEXIST
          ? "--record \(path): the file exists; choose another name or remove it"
          : "--record \(path): \(String(cString: strerror(errno)))",
        status: ExitStatus.cannotOpen)
    }
    append(writer.line(Self.header(dashboard, arguments)))
  }

  deinit {
    queue.sync {}
    close(descriptor)
  }

  private static func header(
    _ dashboard: LoadedDashboard, _ arguments: Arguments
  ) -> RecordingFormat.Header {
    RecordingFormat.Header(
      program: ProgramVersion.line, started: SystemClock.now(),
      utcOffsetSeconds: LocalTime.utcOffset, databaseName: arguments.databaseName,
      isReadOnly: arguments.isReadOnly, dashboardName: dashboard.file, preset: arguments.preset,
      definition: dashboard.definition)
  }

  /// Adds a line.
  func write(_ entry: RecordingFormat.Entry) {
    append(writer.line(entry, at: MonotonicClock.now))
  }

  /// Reports once that the recording has ended early.
  ///
  /// - Throws: ``Failure``.
  func check() throws(Failure) {
    let number = progress.withLock { progress in
      defer { progress.isTold = progress.error != 0 }
      return progress.isTold ? 0 : progress.error
    }
    guard number != 0 else { return }
    throw Failure(
      "--record \(path): \(String(cString: strerror(number))); the recording ends here",
      status: ExitStatus.cannotOpen)
  }

  /// Waits until everything is on the disk.
  func finish() { queue.sync {} }

  private func append(_ line: String) {
    let bytes = Array(line.utf8)
    let mayWrite = progress.withLock { progress in
      if progress.waiting + bytes.count > Self.waitingLimit, progress.waiting > 0 {
        progress.error = progress.error == 0 ? EAGAIN : progress.error
      }
      guard progress.error == 0 else { return false }
      progress.waiting += bytes.count
      return true
    }
    guard mayWrite else { return }
    queue.async { [self] in
      let number = TextFile.write(bytes, to: descriptor)
      progress.withLock { progress in
        progress.waiting -= bytes.count
        if progress.error == 0 { progress.error = number }
      }
    }
  }
}
