import Glibc

StandardStreams.occupyClosed()
// The loop blocks the signals that it reads: before any thread is started.
let status = Program(loop: MainLoop()).run()
// An export may be under way, on another thread.
PartialFiles.end()
MainLoop.endFront(status: status)
exit(status)
