import Glibc

StandardStreams.occupyClosed()
// The loop blocks the signals that it reads: before any thread is started.
exit(Program(loop: MainLoop()).run())
