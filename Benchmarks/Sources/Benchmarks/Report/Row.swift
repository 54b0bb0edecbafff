/// One figure of the report.
struct Row {
  enum Unit: String {
    case microseconds = "µs"
    case milliseconds = "ms"
    case megabytes = "MB"
    case kilobytes = "KB"
    case percent = "%"
    /// One figure divided by another.
    case ratio = "×"
    case perSecond = "/s"
    case times = "times"
  }

  /// What the figure should be.
  enum Target {
    case atMost(Double)
    case atLeast(Double)

    var limit: Double {
      switch self {
      case .atMost(let limit), .atLeast(let limit): limit
      }
    }
  }

  let name: String
  let value: Double
  let unit: Unit
  let target: Target?

  init(_ name: String, _ value: Double, _ unit: Unit, target: Target? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.target = target
  }

  var isMet: Bool? {
    switch target {
    case .atMost(let limit): value <= limit
    case .atLeast(let limit): value >= limit
    case nil: nil
    }
  }
}

extension [Row] {
  /// Adds the median and the 99th percentile of a latency.
  mutating func append(
    _ name: String, _ samples: Samples, _ unit: Row.Unit, target: Row.Target? = nil
  ) {
    let scale = unit == .milliseconds ? 1e6 : 1e3
    append(Row("\(name), p50", samples.median / scale, unit, target: target))
    append(Row("\(name), p99", samples.percentile(99) / scale, unit))
  }
}
