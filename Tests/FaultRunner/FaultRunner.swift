import CFaults
import CSQLite
import Foundation
import ObservationEngine
import TestSupport

/// Lets SQLite fail at the n-th call of each kind, for every n, in everything that the engine does with a
/// database, and looks after each whether something is left that should not be.
///
///     FaultRunner [--every N] [--only TEXT]
///
/// `--every` leaves out more and more of the later calls of long runs; `--only` runs what has TEXT in its
/// name. The exit status is 1 when something was left.
@main
struct FaultRunner {
  static func main() async throws {
    lq_faults_install()
    var arguments = CommandLine.arguments.dropFirst()
    var stride = 1
    var only = ""
    while let option = arguments.popFirst() {
      switch (option, arguments.popFirst()) {
      case ("--every", let value?): stride = max(1, Int(value) ?? 1)
      case ("--only", let value?): only = value
      default:
        report("usage: FaultRunner [--every N] [--only TEXT]")
        exit(2)
      }
    }
    installWatchdog()
    // What the process opens once and keeps is open before descriptors are counted.
    for scenario in Scenario.all { try await Trial(.wal, scenario).warmUp() }
    let start = ContinuousClock.now
    var total = 0
    for storage in FaultStorage.allCases {
      for scenario in Scenario.all where scenario.isFor(storage) {
        var runs = 0
        for fault in Fault.all {
          let name = "\(storage) · \(scenario.name) · \(fault.name)"
          guard only.isEmpty || name.contains(only) else { continue }
          runs += try await everyCall(of: fault, in: scenario, storage, name, stride)
        }
        total += runs
        if runs > 0 { report("\(storage) · \(scenario.name): \(runs) faults") }
      }
    }
    let seconds = (ContinuousClock.now - start).components.seconds
    report("\(total) faults, \(Violations.count) violations, \(seconds) s")
    exit(Violations.count == 0 && total > 0 ? 0 : 1)
  }

  private static func everyCall(
    of fault: Fault, in scenario: Scenario, _ storage: FaultStorage, _ name: String, _ stride: Int
  ) async throws -> Int {
    var runs = 0
    var n: Int64 = 1
    while true {
      Progress.begin("\(name), call \(n)")
      let trial = try await Trial(storage, scenario)
      guard try await trial.run(fault, at: n) else { return runs }
      runs += 1
      n += stride == 1 ? 1 : 1 + n * Int64(stride) / 32
    }
  }

  /// Ends a run that hangs, and says of one that crashes where it was.
  private static func installWatchdog() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS] {
      signal(number) { number in
        Progress.say("crashed")
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    Thread.detachNewThread {
      while true {
        let before = Progress.number
        // Far beyond what one run takes, on any machine.
        sleep(120)
        if Progress.number == before {
          Progress.say("hangs")
          exit(1)
        }
      }
    }
  }
}

/// What was left that should not be.
enum Violations {
  nonisolated(unsafe) static var count = 0

  static func note(_ text: String) {
    count += 1
    report("VIOLATION \(Progress.label): \(text)")
    if count >= 50 {
      report("too many")
      exit(1)
    }
  }
}

/// Where the run is. Written by the main task alone; a signal handler and the watchdog read it.
enum Progress {
  nonisolated(unsafe) static var label = ""
  nonisolated(unsafe) static var number = 0
  nonisolated(unsafe) private static var bytes: [UInt8] = []

  static func begin(_ text: String) {
    label = text
    bytes = Array("\(text)\n".utf8)
    number += 1
  }

  static func say(_ what: StaticString) {
    what.withUTF8Buffer { _ = write(2, $0.baseAddress, $0.count) }
    bytes.withUnsafeBytes { _ = write(2, ": ", 2) + write(2, $0.baseAddress, $0.count) }
  }
}

/// Prints a line now, so that it is there when the run crashes.
func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
