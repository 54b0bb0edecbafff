import Glibc

/// Measures the programs and the library, prints a table, and writes `.build/bench.json`.
///
///     swift run -c release --package-path Benchmarks Benchmarks [--only GROUP[,GROUP…]]
///
/// Without a group, all. LIVEQUERY_PROGRAMS names a folder with built programs; without it they are
/// built first, when a group needs them.
@main
enum Benchmarks {
  enum Group: String, CaseIterable {
    case fetch, observers, bystanders, identical, savepoint, own
    case notice, stream, frame, idle, start, throughput, harm, tables, screen, window

    /// Whether it starts other programs than this one.
    var needsPrograms: Bool {
      switch self {
      case .fetch, .observers, .bystanders, .identical, .savepoint, .own: false
      case .notice, .stream, .frame, .idle, .start, .throughput, .harm,
        .tables, .screen, .window:
        true
      }
    }

    func rows(_ project: Project) throws -> [Row] {
      switch self {
      case .fetch: try FetchRows(project: project).run()
      case .observers: try ObserverRows(project: project).run()
      case .bystanders: try BystanderRows(project: project).run()
      case .identical: try IdenticalRows(project: project).run()
      case .savepoint: try SavepointRows(project: project).run()
      case .own: try OwnCommitRows(project: project).run()
      case .notice: try NoticeRows(project: project).run()
      case .stream: try StreamRows(project: project).run()
      case .frame: try FrameRows(project: project).run()
      case .idle: try IdleRows(project: project).run()
      case .start: try StartRows(project: project).run()
      case .throughput: try ThroughputRows(project: project).run()
      case .harm: try HarmRows(project: project).run()
      case .tables: try TableRows(project: project).run()
      case .screen: try ScreenRows(project: project).run()
      case .window: try WindowRows(project: project).run()
      }
    }
  }

  static func main() {
    // A process that ended is found out by what write(2) returns.
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if let work = SavepointWork(arguments: arguments) {
        try work.run()
      } else {
        try run(groups(arguments))
      }
    } catch {
      say("benchmarks: \(error)")
      exit(1)
    }
  }

  private static func run(_ groups: [Group]) throws {
    let project = try Project(
      programs: getenv("LIVEQUERY_PROGRAMS").map { String(cString: $0) },
      mustBuild: groups.contains { $0.needsPrograms })
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

  private static func groups(_ arguments: [String]) throws(Failure) -> [Group] {
    guard let first = arguments.first else { return Group.allCases }
    let known = Group.allCases.map { $0.rawValue }.joined(separator: ", ")
    guard first == "--only", arguments.count == 2 else {
      throw Failure("usage: Benchmarks [--only GROUP[,GROUP…]]; the groups: \(known)")
    }
    var groups: [Group] = []
    for name in arguments[1].split(separator: ",") {
      guard let group = Group(rawValue: String(name)) else {
        throw Failure("there is no group \"\(name)\"; there are \(known)")
      }
      groups.append(group)
    }
    return groups
  }

  /// Narration goes to standard error; the table alone goes to standard output.
  private static func say(_ text: String) {
    var bytes = Array((text + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, &bytes, bytes.count)
  }
}
