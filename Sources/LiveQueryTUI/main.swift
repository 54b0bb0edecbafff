import CProcess
import Glibc

lq_share_heap()
StandardStreams.occupyClosed()
// The loop blocks the signals that it reads, so it must be made before any thread starts.
let status = Program(loop: MainLoop()).run()
MainLoop.endFront(status: status)
exit(status)
