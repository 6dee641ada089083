/// What was measured, in rounds, with what is asked of it.
struct Finding {
  /// What a figure is.
  enum Unit: String {
    case perSecond = "/s"
    case nanoseconds = "ns"
    case bytes = "B"
    case count = ""
  }

  /// What is asked.
  enum Asked {
    /// Ours divided by theirs, in rates; theirs divided by ours, in times.
    case timesAsGood(Double)
    /// Ours divided by theirs.
    case atMostTimes(Double)
    /// Ours.
    case atMost(Double)
  }

  /// The machine-readable name.
  let id: String
  /// What was done, in words.
  let work: String
  let unit: Unit
  /// Each round's.
  let ours: [Double]
  /// Who it is held against, and each round's figure of theirs.
  var peer: (name: String, theirs: [Double])?
  /// Processor time of the servers for each, in nanoseconds.
  var processorNsec: (ours: [Double], theirs: [Double])?
  var asked: Asked?
  /// The longest loop iteration meanwhile, in microseconds.
  var longestPassUsec: Int64?
  /// Why there are no figures, where what they take is not to be had.
  var unmeasured: String?

  /// One without figures.
  static func unmeasured(_ finding: Finding, why: String) -> Finding {
    Finding(
      id: finding.id, work: finding.work, unit: finding.unit, ours: [], asked: finding.asked,
      unmeasured: why)
  }

  /// For each round; the first of one is held against the first of the other.
  var ratios: [Double]? {
    guard let peer else { return nil }
    return zip(ours, peer.theirs).map { ours, theirs in
      switch asked {
      case .timesAsGood where unit != .perSecond: theirs / ours
      default: ours / theirs
      }
    }
  }

  /// Whether what is asked is there; nil: nothing is, or nothing was measured.
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
  /// The one in the middle; of an even number, the lower of the two. Zero if there is none.
  var median: Double { isEmpty ? 0 : sorted()[(count - 1) / 2] }
}
