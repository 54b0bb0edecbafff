import Testing

@testable import ObservationEngine

/// Every state of the detector with every input, and whole reactions compared.
struct DetectorTableTests {
  private typealias Bench = DetectorBench

  /// A state, and the way to it.
  enum Place: String, CaseIterable, Sendable {
    case unstarted
    case opening
    case closed
    case findingFile = "finding the file"
    case immutable
    case watching
    case write = "checking: write"
    case log = "checking: log"
    case position = "checking: position"
    case writer = "checking: writer"
    case damage = "checking: damage"
    case usersToSave = "checking: usersToSave"
    case emptying = "checking: emptying"
    case usersToSleep = "checking: usersToSleep"
    case copying = "checking: copying"
    case building = "checking: building"
    case searching = "checking: searching"
    case shutting = "going dormant: shutting"
    case lastCheck = "going dormant: position"
    case closing = "going dormant: closing"
    case dormant
    case resuming
    case lettingGo = "letting go"
    case counting = "counting connections"
    case stopped

    var bench: DetectorBench {
      var bench: Bench
      switch self {
      case .unstarted: bench = Bench()
      case .opening:
        bench = Bench()
        bench.tell(.start(.inotify))
      case .closed:
        bench = Place.opening.bench
        bench.tell(.opened(.failed))
      case .findingFile:
        bench = Place.closed.bench
        bench.tell(Bench.wake())
      case .immutable:
        bench = Place.opening.bench
        bench.tell(.opened(.immutable(Bench.file, Bench.fingerprint)))
      case .watching: bench = .watching()
      case .write:
        bench = .watching()
        bench.tell(Bench.wake { $0.events = .database })
      case .log:
        bench = .watching()
        bench.tell(Bench.wake { $0.events = .files })
      case .position:
        bench = .watching()
        bench.tell(Bench.wake())
      case .writer:
        bench = Place.position.bench
        bench.tell(Bench.checked(Bench.wal(5), .pending))
        bench.tell(Bench.wake(), after: 60 * Bench.millisecond)
        bench.tell(Bench.checked(Bench.wal(5), .pending))
      case .damage:
        bench = .watching()
        bench.tell(Bench.wake { $0.events = .overflow })
        bench.tell(Bench.foundLog)
        bench.tell(Bench.checked())
      case .usersToSave:
        bench = .watching()
        bench.tell(Bench.wake { $0.events = .closed })
        bench.tell(Bench.checked())
        bench.tell(Bench.wake(), after: 25 * Bench.millisecond)
        bench.tell(Bench.checked())
      case .emptying:
        bench = Place.usersToSave.bench
        bench.tell(Bench.users())
      case .usersToSleep: bench = .idle()
      case .copying:
        bench = .idle()
        bench.tell(Bench.users { $0.hasCopiedLog = false })
      case .building:
        bench = Place.position.bench
        bench.tell(Bench.checked(map: .missing))
      case .searching:
        bench = Place.position.bench
        bench.tell(Bench.checked(map: .incomplete))
      case .shutting:
        bench = .idle()
        bench.tell(Bench.users())
      case .lastCheck:
        bench = Place.shutting.bench
        bench.tell(.shutOpenings(true))
      case .closing:
        bench = Place.lastCheck.bench
        bench.tell(Bench.checked())
      case .dormant: bench = .dormant()
      case .resuming:
        bench = .dormant()
        bench.tell(Bench.wake { $0.events = .wal })
        bench.tell(Bench.open(Bench.wal(8, frame: 3, salts: 2)))
      case .lettingGo:
        bench = Place.counting.bench
        bench.tell(.countedConnections(areAllClosed: false))
      case .counting:
        bench = .watching()
        bench.tell(Bench.wake { $0.reasonToClose = "another database asks" })
      case .stopped:
        bench = .watching()
        bench.tell(.stop)
      }
      return bench
    }
  }

  /// An input that can come, in its plainest form.
  private enum Event: CaseIterable {
    case start, woke, foundFile, opened, countedCommits, checked, examinedWrite, foundLog
    case foundWriter, examinedFile, foundUsers, emptiedLog, copiedLog, shutOpenings
    case closedForDormancy, builtMap, searchedMap, countedConnections, stop

    var input: Detector.Input {
      switch self {
      case .start: .start(.inotify)
      case .woke: Bench.wake()
      case .foundFile: .foundFile(.present)
      case .opened: Bench.open()
      case .countedCommits: .countedCommits(2)
      case .checked: Bench.checked()
      case .examinedWrite: .examinedWrite(isBeingCheckpointed: false, Bench.progress)
      case .foundLog: Bench.foundLog
      case .foundWriter: .foundWriter(.alive)
      case .examinedFile: .examinedFile(isDamaged: false)
      case .foundUsers: Bench.users()
      case .emptiedLog: .emptiedLog(true)
      case .copiedLog: .copiedLog(true)
      case .shutOpenings: .shutOpenings(true)
      case .closedForDormancy:
        .closedForDormancy(Detector.Closing(fingerprint: Bench.fingerprint))
      case .builtMap: .builtMap(.success(Bench.map(5)))
      case .searchedMap: .searchedMap(.complete)
      case .countedConnections: .countedConnections(areAllClosed: true)
      case .stop: .stop
      }
    }
  }

  private struct Reaction: Equatable {
    var actions: [Detector.Action]
    var state: String

    init(_ actions: [Detector.Action], _ place: Place) {
      self.init(actions, place.rawValue)
    }

    init(_ actions: [Detector.Action], _ state: String) {
      self.actions = actions
      self.state = state
    }
  }

  private static let check = Detector.Action.ask(.check(Bench.wal(5)))
  private static let tracking: [Detector.Action] = [
    .trackTables(resumingAt: nil), .announceDormant(false),
  ]

  /// What may come in each state, and what follows. All else can't come.
  private static func reactions(in place: Place) -> [Event: Reaction] {
    switch place {
    case .unstarted:
      [.start: Reaction([.ask(.open(isFirst: true))], .opening)]
    case .opening:
      [.opened: Reaction(tracking, .watching)]
    case .closed:
      [
        .woke: Reaction([.ask(.findFile)], .findingFile),
        .stop: Reaction([.releaseWriters], .stopped),
      ]
    case .findingFile:
      [.foundFile: Reaction([.ask(.open(isFirst: false))], .opening)]
    case .immutable:
      [
        .woke: Reaction([], .immutable),
        .stop: Reaction([.releaseWriters], .stopped),
      ]
    case .watching:
      [
        .woke: Reaction([check], .position),
        .stop: Reaction([.close, .releaseWriters], .stopped),
      ]
    case .write:
      [
        .examinedWrite: Reaction(
          [.noteOverwritten] + lettingGo("the file was written to past its -wal"), .counting)
      ]
    case .log:
      [.foundLog: Reaction([check], .position)]
    case .position:
      [.checked: Reaction([], .watching)]
    case .writer:
      [.foundWriter: Reaction([], .watching)]
    case .damage:
      [.examinedFile: Reaction([], .watching)]
    case .usersToSave:
      [.foundUsers: Reaction([.ask(.emptyLog)], .emptying)]
    case .emptying:
      [.emptiedLog: Reaction([], .watching)]
    case .usersToSleep:
      [.foundUsers: Reaction([.announceDormant(true), .ask(.shutOpenings)], .shutting)]
    case .copying:
      [.copiedLog: Reaction([], .watching)]
    case .building:
      [.builtMap: Reaction([], .watching)]
    case .searching:
      [.searchedMap: Reaction([], .watching)]
    case .shutting:
      [.shutOpenings: Reaction([check], .lastCheck)]
    case .lastCheck:
      [.checked: Reaction([.ask(.closeForDormancy(Bench.wal(5).last))], .closing)]
    case .closing:
      [.closedForDormancy: Reaction([.admitOpenings], .dormant)]
    case .dormant:
      [
        .woke: Reaction([], .dormant),
        .stop: Reaction([.releaseWriters], .stopped),
      ]
    case .resuming:
      [
        .countedCommits: Reaction(
          [
            .trackTables(resumingAt: Bench.beginning.last), .announceDormant(false),
            .ask(.check(Bench.beginning)),
          ], .position)
      ]
    case .lettingGo:
      [
        .woke: Reaction([.ask(.countConnections)], .counting),
        .stop: Reaction([.admitOpenings, .releaseWriters], .stopped),
      ]
    case .counting:
      [.countedConnections: Reaction([.admitOpenings, .ask(.findFile)], .findingFile)]
    case .stopped: [:]
    }
  }

  private static func lettingGo(_ reason: String) -> [Detector.Action] { Bench.lettingGo(reason) }

  @Test(arguments: Place.allCases)
  func `every input has its reaction in this state, or can't come`(_ place: Place) {
    let bench = place.bench
    #expect(bench.state == place.rawValue)
    let expected = Self.reactions(in: place)
    for event in Event.allCases {
      let reaction = bench.reaction(to: event.input).map { Reaction($0.actions, $0.state) }
      #expect(reaction == expected[event], "\(event)")
    }
  }

  @Test(arguments: Place.allCases)
  func `a detector has a deadline unless it waits for an answer, or for nothing`(_ place: Place) {
    let bench = place.bench
    let isWaiting = bench.reaction(to: Event.woke.input) != nil
    #expect((bench.wait != nil) == isWaiting)
    // Nothing is due over and over again: idle costs nothing but the heartbeat.
    if let wait = bench.wait { #expect(wait > 0) }
  }
}

extension DetectorBench {
  /// Where commits in a new WAL count from, if it holds two.
  static let beginning = CommitWatch(
    position: .wal(header(8, frame: 3, salts: 2).beginning(before: 2)), accounted: 0)

  /// What is done with a file of which all connections must be closed.
  static func lettingGo(_ reason: String) -> [Action] {
    [
      .shutOpenings(empties: true, reason: reason), .close, .announceDormant(false),
      .advanceEpoch, .notice(reason + "; it is opened again"), .ask(.countConnections),
    ]
  }
}
