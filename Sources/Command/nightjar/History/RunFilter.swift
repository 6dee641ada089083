import NightjarClient
import NightjarModel
import NightjarTime

/// The conditions for the runs that `history` selects.
struct RunFilter {
  /// A label that a run must have, with any value or with a given one.
  struct Label {
    let key: String
    let value: String?
  }

  var name: NamePattern?
  /// A run must overlap the range of these days.
  var days: LocalDays
  /// Labels. A run must have all of them.
  var labels: [Label] = []
  /// States. A run must be in one of them; if empty, any state is selected.
  var states: Set<Run.State> = []
  /// Kinds. A run must be of one of them; if empty, any kind is selected.
  var kinds: [Wire.Kind] = []
  /// Whether ended runs are included that are of little interest later: those of timers that got
  /// their name from the daemon, and those that were removed or replaced before their end.
  var includesMinor = false

  func isIncluded(name other: String) -> Bool { name?.matches(other) ?? true }

  func isIncluded(_ run: Run) -> Bool {
    run.startedUsec < days.range.upperBound
      && (run.endedUsec ?? .max) >= days.range.lowerBound
      && (states.isEmpty || states.contains(run.state))
      && (kinds.isEmpty || kinds.contains(run.kind))
      && (includesMinor || !isMinor(run))
      && labels.allSatisfy { label in
        run.labels.contains {
          $0.key == label.key && (label.value == nil || $0.value == label.value)
        }
      }
  }

  /// Calls `body` with each run in the daemon's ledger: first the ended runs, then the active ones.
  /// O(events).
  ///
  /// - Parameter entries: the most entries of the ledger to read, the latest ones; nil: all.
  /// - Returns: what was hidden from the daemon.
  @discardableResult
  func read(
    from session: Session, entries: Int64? = nil, nowUsec: Int64, _ body: (Run) -> Void
  ) throws(CommandError) -> HiddenTime {
    let storage = try session.status().storage
    let oldest = max(storage.oldestSeq, entries.map { storage.lastSeq - $0 + 1 } ?? 0)
    var fold = RunFold(
      present: try session.timers(), oldestSeq: oldest,
      isIncluded: isIncluded(name:), isWanted: isIncluded(_:))
    try LedgerReader(session: session).read(after: max(0, oldest - 1)) { fold.take($1) }
    fold.finish(nowUsec: nowUsec, days: days, body)
    return fold.hidden
  }

  /// A run that the user asked for by its name or state is not minor.
  private func isMinor(_ run: Run) -> Bool {
    guard name == nil, states.isEmpty, !run.state.isActive else { return false }
    return TimerName.isGiven(run.name) || [.removed, .replaced].contains(run.state)
  }
}

// MARK: - Reading the options

extension RunFilter {
  /// Reads the arguments of --label, of the form `key` or `key=value`.
  static func labels(_ words: [String]) throws(CommandError) -> [Label] {
    var labels: [Label] = []
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = parts.first, !key.isEmpty else {
        throw .usage(
          "--label takes key or key=value, such as project=site, not '\(word)'")
      }
      labels.append(Label(key: String(key), value: parts.count == 2 ? String(parts[1]) : nil))
    }
    return labels
  }

  /// Reads the range between the instants of --since and --until.
  static func range(
    since: String?, until: String?, zone: ZoneRules, nowUsec: Int64
  ) throws(CommandError) -> Range<Int64> {
    let from =
      try PastPoint.since(since, zone: zone, nowUsec: nowUsec) ?? LocalDays.always.lowerBound
    let end =
      try PastPoint.read(until, behind: "--until", zone: zone, nowUsec: nowUsec)
      ?? LocalDays.always.upperBound
    guard from < end else {
      let (first, last) = (zone.text(usec: from), zone.text(usec: end))
      throw .usage(
        from == end
          ? "--since and --until are the same, \(first), and nothing lies between them"
          : "--since, \(first), is after --until, \(last); exchange them")
    }
    return from..<end
  }
}
