import Glibc

/// Measures the programs and the library, prints a table, and writes `.build/bench.json`.
///
///     swift run -c release --package-path Benchmarks [GROUP…]
///
/// Without a group, all. LIVEQUERY_PROGRAMS names a folder with built programs; without it they are
/// built first.
@main
enum Benchmarks {
  enum Group: String, CaseIterable {
    case notice, stream, frame, own, idle, start, throughput

    func rows(_ project: Project) throws -> [Row] {
      switch self {
      case .notice: try NoticeRows(project: project).run()
      case .stream: try StreamRows(project: project).run()
      case .frame: try FrameRows(project: project).run()
      case .own: try OwnCommitRows(project: project).run()
      case .idle: try IdleRows(project: project).run()
      case .start: try StartRows(project: project).run()
      case .throughput: try ThroughputRows(project: project).run()
      }
    }
  }

  static func main() {
    // A process that ended is found out by what write(2) returns.
    signal(SIGPIPE, SIG_IGN)
    do {
      try run(groups(CommandLine.arguments.dropFirst()))
    } catch {
      say("benchmarks: \(error)")
      exit(1)
    }
  }

  private static func run(_ groups: [Group]) throws {
    let project = try Project(programs: getenv("LIVEQUERY_PROGRAMS").map { String(cString: $0) })
    // Who reads figures wants to know what else the machine did.
    say(
      "load of \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores: \(try TextFile.read("/proc/loadavg"))"
    )
    var rows: [Row] = []
    for group in groups {
      say("measuring: \(group.rawValue)")
      rows += try group.rows(project)
    }
    print(TextTable.text(rows), terminator: "")
    try JSONReport.write(rows, to: project.report)
  }

  private static func groups(_ names: some Sequence<String>) throws(Failure) -> [Group] {
    var groups: [Group] = []
    for name in names {
      guard let group = Group(rawValue: name) else {
        let known = Group.allCases.map { $0.rawValue }.joined(separator: ", ")
        throw Failure("there is no group \"\(name)\"; there are \(known)")
      }
      groups.append(group)
    }
    return groups.isEmpty ? Group.allCases : groups
  }

  /// Narration goes to standard error; the table alone goes to standard output.
  private static func say(_ text: String) {
    var bytes = Array((text + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, &bytes, bytes.count)
  }
}
