import Glibc

StandardStreams.occupyClosed()
// The loop blocks the signals that it reads: before any thread is started.
let status = Program(loop: MainLoop()).run()
MainLoop.endFront(status: status)
exit(status)
