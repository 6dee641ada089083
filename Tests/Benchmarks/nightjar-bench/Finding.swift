/// The measured figures of a row.
struct Finding {
  let row: Row
  /// Nightjar's figure in each round.
  let ours: [Double]
  /// The figure of the row's peer in each round; empty if the row has none.
  var theirs: [Double] = []

  /// The ratio in each round: Nightjar's figure compared with the peer's figure of the same round.
  var ratios: [Double] {
    zip(ours, theirs).map { ours, theirs in
      switch row.floor {
      case .timesAsGood where row.unit != .perSecond: theirs / ours
      default: ours / theirs
      }
    }
  }

  /// Whether the floor is reached, or there is none.
  var isGood: Bool {
    switch row.floor {
    case nil: true
    case .timesAsGood(let least): ratios.median >= least
    case .atMostTimes(let most): ratios.median <= most
    case .atMost(let most): ours.median <= most
    }
  }
}

extension [Double] {
  /// The value in the middle; of an even number of values, the lower of the two. Zero if there are
  /// none.
  var median: Double { isEmpty ? 0 : sorted()[(count - 1) / 2] }
}
