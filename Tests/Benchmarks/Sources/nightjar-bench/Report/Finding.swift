/// A measured figure, with a value for each round and the requirement for it.
struct Finding {
  enum Unit: String {
    case perSecond = "/s"
    case nanoseconds = "ns"
    case bytes = "B"
    case count = ""
  }

  /// The requirement for a figure.
  enum Asked {
    /// At least this ratio: for rates, Nightjar's figure divided by the peer's; for other units,
    /// the peer's figure divided by Nightjar's.
    case timesAsGood(Double)
    /// At most this ratio: Nightjar's figure divided by the peer's.
    case atMostTimes(Double)
    /// Nightjar's figure is at most this.
    case atMost(Double)
  }

  /// The machine-readable name.
  let id: String
  /// What was done, in words.
  let work: String
  let unit: Unit
  /// Nightjar's figure in each round.
  let ours: [Double]
  /// What Nightjar is compared with, and the peer's figure in each round.
  var peer: (name: String, theirs: [Double])?
  /// Processor time of the servers for each request, in nanoseconds, in each round.
  var processorNsec: (ours: [Double], theirs: [Double])?
  var asked: Asked?
  /// The longest iteration of the daemon's loop since the daemon started, in microseconds.
  var longestPassUsec: Int64?
  /// Why there are no figures, if something that the measurement needs is missing.
  var unmeasured: String?

  /// A finding without figures.
  static func unmeasured(_ finding: Finding, why: String) -> Finding {
    Finding(
      id: finding.id, work: finding.work, unit: finding.unit, ours: [], asked: finding.asked,
      unmeasured: why)
  }

  /// The ratio in each round: Nightjar's figure compared with the peer's figure of the same round.
  var ratios: [Double]? {
    guard let peer else { return nil }
    return zip(ours, peer.theirs).map { ours, theirs in
      switch asked {
      case .timesAsGood where unit != .perSecond: theirs / ours
      default: ours / theirs
      }
    }
  }

  /// Whether the requirement is met; nil: there is none, or nothing was measured.
  var isGood: Bool? {
    guard unmeasured == nil else { return nil }
    return switch asked {
    case nil: nil
    case .timesAsGood(let least): (ratios ?? []).median >= least
    case .atMostTimes(let most): (ratios ?? []).median <= most
    case .atMost(let most): ours.median <= most
    }
  }
}

extension [Double] {
  /// The value in the middle; of an even number of values, the lower of the two. Zero if there are
  /// none.
  var median: Double { isEmpty ? 0 : sorted()[(count - 1) / 2] }
}
