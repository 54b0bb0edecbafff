/// What a session records, and what it plays instead of observing.
struct SessionTape: Sendable {
  var recording: RecordingFile?
  var replay: Replay?
}
