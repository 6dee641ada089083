import NightjarClient
import NightjarTime

/// What a timer's story comes to, in one sentence.
struct StorySummary {
  /// What a run lived through, beside what happened to it.
  struct Living {
    /// Spans that were counted, each with where it was on `elapsed`.
    private var spans: [(number: Int64, cause: Cause, usec: Range<Int64>)] = []
    /// Spans in which the clock `awake` stood still while it ran.
    private(set) var uncountedUsec: Int64 = 0
    /// Those of them that were reboots.
    private var uncountedReboots: Set<Int64> = []
    /// What was hidden of the stints up to here, whatever turns out of the spans: it was counted by
    /// what was known then.
    private var settled: (hidden: [(cause: Cause, usec: Int64)], stints: Int, untilUsec: Int64) =
      ([], 0, .min)
    /// The sum of the steps of the wall clock.
    var steppedUsec: Int64 = 0

    /// A span was left.
    ///
    /// - Parameter phase: what the timer did in it.
    mutating func note(
      _ span: BackgroundSpan, in phase: OpenRun.Phase?, at clock: MachineClock
    ) {
      guard let last = clock.last, last.number == span.number, let cause = span.causes.first
      else { return }
      switch phase {
      case .running(.awake, _, _)? where !MachineClock.countsAwake(span.causes):
        uncountedUsec += span.elapsedUsec
        if span.causes.contains(.reboot) { uncountedReboots.insert(span.number) }
      case .running?:
        let usec = last.enteredUsec..<max(last.enteredUsec, last.leftUsec)
        spans.append((span.number, cause, usec))
      case .paused?, .waiting?, .over?, nil: break
      }
    }

    /// A reboot was longer or shorter than was known, and what came behind it came later or earlier.
    ///
    /// - Parameters:
    ///   - run: as it is after that.
    ///   - isThrough: it is as it was before the reboot.
    mutating func correct(
      _ correction: MachineClock.Correction, _ run: OpenRun, isThrough: Bool
    ) {
      // What runs through it is counted as a whole by the counter as it is now.
      let isWhole =
        if isThrough, case .running(.elapsed, _, _) = run.phase { true } else { false }
      if !isWhole {
        let end = run.run.stints.last?.usec.upperBound
        settled = (hidden(in: run.run), run.run.stints.count, end ?? .min)
      }
      for index in spans.indices {
        spans[index].usec = correction.moved(spans[index].usec, number: spans[index].number)
      }
      let isUncounted = uncountedReboots.contains(correction.number)
      if isUncounted { uncountedUsec += correction.byUsec }
      // The step that makes up for it moves nothing that was set by the clock before the reboot.
      if isThrough || isUncounted { steppedUsec -= correction.byUsec }
    }

    /// How much of the time that a run counted was hidden, by cause, in the order in which they came.
    func hidden(in run: Run) -> [(cause: Cause, usec: Int64)] {
      var sums = settled.hidden
      // The last may have been gone on with.
      var stints = run.stints.dropFirst(max(0, settled.stints - 1))
      if settled.stints > 0, let first = stints.indices.first {
        stints[first].usec = stints[first].usec.clamped(to: settled.untilUsec..<Int64.max)
      }
      for (_, cause, span) in spans {
        // What was due in a span counted up to then.
        let usec = stints.filter { $0.timeline == .elapsed }.reduce(0 as Int64) {
          $0 + Int64($1.usec.clamped(to: span).count)
        }
        guard usec > 0 else { continue }
        if let index = sums.firstIndex(where: { $0.cause == cause }) {
          sums[index].usec += usec
        } else {
          sums.append((cause, usec))
        }
      }
      return sums
    }
  }

  let run: Run
  let living: Living
  let spec: NewTimer.Kind?
  let timer: NightjarTimer?

  /// Nil where there is nothing to add to what was told.
  var sentence: String? {
    var parts = [amount].compactMap { $0 }
    switch run.state {
    case .running where isOneCountdown: parts += [moved].compactMap { $0 }
    case .running, .paused, .waiting, .fired: parts += changes + rings
    case .skipped: parts += changes + rings + ["expired\(late ?? ""), and did not ring"]
    case .cancelled: parts += changes + rings + [run.kind == .stopwatch ? "stopped" : "cancelled"]
    case .finished: parts += changes + rings + ["ended by hand"]
    case .removed, .restarted, .replaced: parts += changes + rings + [run.state.rawValue]
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private var isOneCountdown: Bool {
    if case .countdown? = spec { run.rings == 0 } else { false }
  }

  private func length(_ usec: Int64) -> String { SpanFormat.people(usec: usec, units: 2) }

  // MARK: How long

  /// `4 min on the clock, of which 3 min 12 s asleep`.
  private var amount: String? {
    let soFar = run.state.isActive ? " so far" : ""
    let hidden = living.hidden(in: run).map { "\(length($0.usec)) \(Self.word($0.cause))" }
    let ofWhich = hidden.isEmpty ? "" : ", of which \(Self.list(hidden))"
    let laps = run.laps == 0 ? "" : run.laps == 1 ? ", with 1 lap" : ", with \(run.laps) laps"
    switch run.kind {
    case .alarm, .other: return nil
    case .stopwatch:
      return "measured \(SpanFormat.stopwatch(usec: run.countedUsec))\(soFar)\(laps)\(ofWhich)"
    case .countdown: return "\(length(run.countedUsec)) on the clock\(soFar)\(ofWhich)"
    case .sequence:
      let steps = run.steps.filter { $0.countedUsec > 0 }.map {
        "\(length($0.countedUsec)) of \($0.name)"
      }
      let told = steps.count > 1 ? ", \(Self.list(steps))" : ""
      return "\(length(run.countedUsec)) on the clock\(soFar)\(told)\(ofWhich)"
    }
  }

  /// What hid time, as what the time was.
  private static func word(_ cause: Cause) -> String {
    switch cause {
    case .sleep: "asleep"
    case .stop: "with the daemon stopped"
    case .down: "with the daemon down"
    case .reboot: "over a reboot"
    case .freeze: "standing still"
    default: cause.rawValue
    }
  }

  private static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) and \(last)"
  }

  // MARK: What moved it

  private var changes: [String] {
    var parts: [String] = []
    if let uncounted { parts.append(uncounted) }
    if run.pausedUsec > 0 { parts.append("paused for \(length(run.pausedUsec))") }
    if run.extendedUsec != 0 {
      let verb = run.extendedUsec < 0 ? "shortened" : "extended"
      parts.append("\(verb) by \(length(abs(run.extendedUsec)))")
    }
    return parts
  }

  private var uncounted: String? {
    guard living.uncountedUsec > 0 else { return nil }
    return "\(length(living.uncountedUsec)) not counted (awake)"
  }

  /// `rings 7 min later than first set: 2 min paused and 5 min added`.
  private var moved: String? {
    var reasons: [String] = []
    if run.pausedUsec > 0 { reasons.append("\(length(run.pausedUsec)) paused") }
    if run.extendedUsec != 0 {
      let verb = run.extendedUsec < 0 ? "taken away" : "added"
      reasons.append("\(length(abs(run.extendedUsec))) \(verb)")
    }
    if let uncounted { reasons.append(uncounted) }
    // What goes by the wall clock stays where it is on that.
    let steppedUsec = run.clock == .wall ? 0 : EventText.exact(stepUsec: living.steppedUsec)
    if steppedUsec != 0 {
      let verb = steppedUsec < 0 ? "back" : "forward"
      reasons.append("the clock set \(verb) by \(length(abs(steppedUsec)))")
    }
    guard !reasons.isEmpty else { return nil }
    let usec = run.pausedUsec + run.extendedUsec + living.uncountedUsec + steppedUsec
    guard usec != 0 else { return "rings when first set after all: \(Self.list(reasons))" }
    let direction = usec < 0 ? "earlier" : "later"
    return "rings \(length(abs(usec))) \(direction) than first set: \(Self.list(reasons))"
  }

  // MARK: How it came out

  private var rings: [String] {
    let missed = run.missed > 0 ? ", \(run.missed) missed" : ""
    // How late it is told with what came of it.
    let how = run.state == .skipped ? "" : punctuality
    switch run.rings {
    case 0: return missed.isEmpty ? [] : ["\(run.missed) missed"]
    case 1: return ["rang\(how)\(missed)"]
    default: return ["rang \(run.rings) times\(how.isEmpty ? "" : ", the last\(how)")\(missed)"]
    }
  }

  private var punctuality: String {
    if let usec = timer?.earlyUsec { return " \(length(usec)) early, because the clock was ahead" }
    return run.isEstimated ? (late ?? "") + TimerText.estimated : late ?? " on time"
  }

  /// ` 2 s late, because the machine slept`; nil if it was on time.
  private var late: String? {
    guard TimerText.late(usec: run.lateUsec, cause: run.lateCause) != nil else { return nil }
    let because = run.lateCause.map { ", because \(TimerText.reason($0))" } ?? ""
    return " \(length(run.lateUsec)) late\(because)"
  }
}
