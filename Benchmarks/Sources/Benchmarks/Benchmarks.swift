import Glibc

/// Measures the programs and the library, prints a table, and writes `.build/bench.json`.
///
///     swift run -c release --package-path Benchmarks Benchmarks [--only GROUP[,GROUP…]]
///               [--scale FACTOR] [--queries q1[,q6…]] [--seconds N]
///
/// Without a group, all. The last options are of the group `tpch`: the size of its database, some of its queries, and
/// how long it may take. LIVEQUERY_PROGRAMS names a folder with built programs; without it they are
/// built first, when a group needs them.
@main
enum Benchmarks {
  enum Group: String, CaseIterable {
    case fetch, observers, bystanders, identical, savepoint, own, maintain, busy
    case notice, stream, frame, idle, start, throughput, harm, tables, screen, window, tpch

    /// Whether it starts other programs than this one.
    var needsPrograms: Bool {
      switch self {
      case .fetch, .observers, .bystanders, .identical, .savepoint, .own: false
      case .maintain, .busy, .notice, .stream, .frame, .idle, .start, .throughput, .harm, .tables,
        .screen,
        .window, .tpch:
        true
      }
    }

    func rows(_ project: Project, _ options: Options) throws -> [Row] {
      switch self {
      case .fetch: try FetchRows(project: project).run()
      case .observers: try ObserverRows(project: project).run()
      case .bystanders: try BystanderRows(project: project).run()
      case .identical: try IdenticalRows(project: project).run()
      case .savepoint: try SavepointRows(project: project).run()
      case .own: try OwnCommitRows(project: project).run()
      case .maintain: try MaintainedRows(project: project).run()
      case .busy: try BusyWriterRows(project: project).run()
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
      case .tpch: try TPCHRows(project: project, options: options.tpch).run()
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
      } else if let work = MillionRowWork(arguments: arguments) {
        try work.run()
      } else {
        try run(Options(arguments))
      }
    } catch {
      Narration.say("benchmarks: \(error)")
      exit(1)
    }
  }

  private static func run(_ options: Options) throws {
    let project = try Project(
      programs: getenv("LIVEQUERY_PROGRAMS").map { String(cString: $0) },
      mustBuild: options.groups.contains { $0.needsPrograms })
    // Who reads figures wants to know what else the machine did.
    Narration.say(
      "load of \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores: \(try TextFile.read("/proc/loadavg"))"
    )
    var rows: [Row] = []
    for group in options.groups {
      Narration.say("measuring: \(group.rawValue)")
      rows += try group.rows(project, options)
    }
    print(TextTable.text(rows), terminator: "")
    try JSONReport.write(rows, to: project.report)
  }

  /// The command line, taken apart.
  struct Options {
    var groups = Group.allCases
    var tpch = TPCHRows.Options()

    init(_ words: [String]) throws(Failure) {
      var words = words[...]
      while let word = words.popFirst() {
        guard let value = words.popFirst() else { throw Self.usage }
        switch word {
        case "--only":
          groups = []
          for name in value.split(separator: ",") {
            guard let group = Group(rawValue: String(name)) else {
              throw Failure("there is no group \"\(name)\"; there are \(Self.known)")
            }
            groups.append(group)
          }
        case "--queries": tpch.queries = value.split(separator: ",").map(String.init)
        case "--scale":
          guard let scale = Double(value), scale > 0, scale <= 10 else { throw Self.usage }
          tpch.scale = scale
        case "--seconds":
          guard let seconds = Double(value), seconds > 0 else { throw Self.usage }
          tpch.seconds = seconds
        default: throw Self.usage
        }
      }
    }

    private static var known: String {
      Group.allCases.map { $0.rawValue }.joined(separator: ", ")
    }

    private static var usage: Failure {
      Failure(
        """
        usage: Benchmarks [--only GROUP[,GROUP…]] [--scale FACTOR] [--queries q1[,q6…]] [--seconds N]
        the last three are of the group tpch; the groups: \(known)
        """)
    }
  }
}
