import Dashboard
import Glibc
import ObservationEngine

/// A recording that plays in place of the observed database.
@ScreenActor
final class Replay {
  let header: RecordingFormat.Header
  private let entries: [(time: UInt64, entry: RecordingFormat.Entry)]
  private let speed: Arguments.Speed
  private var position = 0
  private var begun: UInt64 = 0
  /// Whether the last line was dropped because it is incomplete.
  let wasCutOff: Bool

  /// Reads a recording.
  ///
  /// - Throws: ``Failure`` with the line at fault.
  nonisolated init(path: String, speed: Arguments.Speed) throws(Failure) {
    self.speed = speed
    let bytes = try Self.bytes(path)
    do throws(RecordingReader.Failure) {
      var reader = try RecordingReader(bytes)
      var entries: [(time: UInt64, entry: RecordingFormat.Entry)] = []
      while let entry = try reader.next() { entries.append(entry) }
      header = reader.header
      self.entries = entries
      wasCutOff = reader.wasCutOff
    } catch {
      throw Self.failure(path, error)
    }
  }

  private nonisolated static func failure(
    _ path: String, _ error: RecordingReader.Failure
  ) -> Failure {
    Failure("\(TextFile.name(path)):\(error)", status: ExitStatus.usage)
  }

  var hasEnded: Bool { position >= entries.count }
  var refreshCount: Int { entries.count { if case .refresh = $0.entry { true } else { false } } }

  /// The current point of the recording: civil time is the recording's. Without pauses the
  /// monotonic clock is too, so that the same screen results each time.
  var moment: Moment {
    let played: UInt64
    switch speed {
    case .all: played = entries[..<position].last?.time ?? 0
    case .times(let factor):
      let elapsed = Double(MonotonicClock.now - min(MonotonicClock.now, begun)) / 1000
      let last = entries.last?.time ?? 0
      played = begun == 0 ? 0 : min(UInt64(elapsed * factor), last)
    }
    let civil = Timestamp(microseconds: header.started.microseconds + Int64(played))
    let monotonic = speed == .all ? 1_000_000_000 + played * 1000 : MonotonicClock.now
    return Moment(monotonic: monotonic, civil: civil)
  }

  /// Plays to the end.
  func play(_ receive: @ScreenActor (RecordingFormat.Entry) -> Void) async {
    begun = MonotonicClock.now
    while !hasEnded {
      let (time, entry) = entries[position]
      if case .times(let factor) = speed {
        let due = begun + UInt64(min(Double(time) * 1000 / factor, 1e18))
        let now = MonotonicClock.now
        // Only a cancelled task ends the sleep early, and then there is no viewer any more.
        if due > now, (try? await Task.sleep(nanoseconds: due - now)) == nil { return }
      }
      position += 1
      receive(entry)
      // The screen, keys and signals get their turn between two refreshes.
      await Task.yield()
    }
  }

  private nonisolated static func bytes(_ path: String) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    func failure() -> Failure {
      Failure(TextFile.name(path), errno: errno, status: ExitStatus.usage)
    }
    guard descriptor >= 0 else { throw failure() }
    defer { if path != "-" { close(descriptor) } }
    // A device may have no end.
    var status = stat()
    guard fstat(descriptor, &status) == 0,
      [S_IFREG, S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    else {
      throw Failure(
        "\(TextFile.name(path)) is neither a regular file nor a pipe", status: ExitStatus.usage)
    }
    var bytes: [UInt8] = []
    var isRecording = false
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if !isRecording, let end = buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) {
        try checkHeader(path, bytes.prefix(bytes.count - count + end + 1))
        isRecording = true
      }
      if !isRecording, bytes.count > TextFile.limit {
        throw Failure(
          "\(TextFile.name(path)) is not a recording: its first line is longer than "
            + "\(TextFile.limit / 1024 / 1024) MB", status: ExitStatus.usage)
      }
    }
  }

  /// Checks that the first line is that of a recording: anything else may have no end.
  private nonisolated static func checkHeader(
    _ path: String, _ line: ArraySlice<UInt8>
  ) throws(Failure) {
    do throws(RecordingReader.Failure) {
      _ = try RecordingReader(Array(line))
    } catch {
      throw failure(path, error)
    }
  }
}

/// What a session records, and what it plays instead of observing.
struct SessionTape: Sendable {
  var recording: RecordingFile?
  var replay: Replay?
}
