/// What a session leaves on record, and what it plays instead of observing.
struct SessionTape: Sendable {
  var recording: RecordingFile?
  var replay: Replay?
}
