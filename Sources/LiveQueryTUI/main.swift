import Glibc

StandardStreams.occupyClosed()
// The loop blocks the signals that it reads: before any thread is started.
let status = Program(loop: MainLoop()).run()
// An export may be under way, on another thread.
PartialFiles.end()
// And a hook, which may not want to end. The terminal is the person's again by now.
RunningChildren.endAll()
MainLoop.endFront(status: status)
exit(status)
