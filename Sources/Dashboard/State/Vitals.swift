package import ObservationEngine

/// The figures of the header and the status line.
struct Vitals: Sendable, Equatable {
  var latency = LatencyStatistics()
  var rate = CommitHistory.seconds
  var database = DatabaseInfo()
  /// The cost and the outcome of the last refresh.
  var lastRefresh: RefreshSummary?
}

/// The cost of one refresh, for the status line.
package struct RefreshSummary: Sendable, Equatable {
  /// The newest commit that the panels reflect.
  package var ordinal: Int
  /// How many panels were recomputed.
  package var panels: Int
  /// How long their queries took.
  package var queries: Duration
  /// When it arrived.
  package var time: Timestamp
  /// How far refreshes are spaced apart while commits come faster.
  package var pause: Duration
}

/// How long the last changes took to reach the screen.
package struct LatencyStatistics: Sendable, Equatable {
  /// The last samples of one kind, oldest overwritten first.
  package struct Ring: Sendable, Equatable {
    static let capacity = 256
    private var samples: [UInt64] = []
    private var next = 0
    /// Nanoseconds that half of the samples do not exceed.
    package private(set) var median: UInt64 = 0
    /// Nanoseconds that all but one in a hundred do not exceed.
    package private(set) var percentile99: UInt64 = 0

    package var isEmpty: Bool { samples.isEmpty }

    mutating func append(_ sample: UInt64) {
      if samples.count < Self.capacity {
        samples.append(sample)
      } else {
        samples[next] = sample
      }
      next = (next + 1) % Self.capacity
      // Sorted here rather than while drawing: frames may be drawn more often than commits arrive.
      let sorted = samples.sorted()
      median = sorted[(sorted.count - 1) / 2]
      percentile99 = sorted[(sorted.count * 99 + 99) / 100 - 1]
    }

    /// The newest `count` samples, oldest first.
    func newest(_ count: Int) -> [UInt64] {
      let ordered =
        samples.count < Self.capacity ? samples : Array(samples[next...] + samples[..<next])
      return Array(ordered.suffix(count))
    }
  }

  /// From the own commit to the screen.
  package private(set) var own = Ring()
  /// From the detection of a foreign commit to the screen.
  package private(set) var external = Ring()
  /// The origin of the last sample.
  package private(set) var latest: Commit.Origin = .external

  mutating func append(_ latency: UInt64, origin: Commit.Origin) {
    latest = origin
    switch origin {
    case .own: own.append(latency)
    case .external: external.append(latency)
    }
  }
}
