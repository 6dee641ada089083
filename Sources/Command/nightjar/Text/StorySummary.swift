import NightjarClient
import NightjarTime

/// A summary of a timer's story, in one sentence.
struct StorySummary {
  /// The background spans and the steps of the clock during a run.
  struct Interruptions {
    /// A background span that has ended, with the state of the timer in it.
    private struct HiddenSpan {
      let cause: Wire.Cause
      let entered: Reading
      let left: Reading
      /// Whether the timer's clock stopped during the span while the timer ran.
      let isUncounted: Bool
      /// How much of the span the timer's clock still counted.
      let countedUsec: Int64
    }

    private var spans: [HiddenSpan] = []
    /// The sum of the steps of the wall clock.
    private var steppedUsec: Int64 = 0
    /// The corrections of the lengths of reboots.
    private var madeUp: [(byUsec: Int64, sinceSeq: Int64)] = []

    /// Adds a background span that has ended. Its beginning and its end are the latest in `log`.
    ///
    /// - Parameter run: the run that was active before the span; nil: there was none.
    mutating func note(_ span: Wire.Span, _ run: OpenRun?, _ log: CounterLog) {
      guard let cause = span.causes.first,
        let entered = span.isAbsence ? log.leftPresence : log.entered,
        let counter = run?.present?.counter, !span.isAbsence || counter == .present
      else { return }
      spans.append(
        HiddenSpan(
          cause: cause, entered: entered, left: log.last, isUncounted: span.hides(counter),
          countedUsec: log.last.usec(counter) - entered.usec(counter)))
    }

    /// Adds a step of the wall clock.
    mutating func step(byUsec: Int64) { steppedUsec += byUsec }

    /// Adds a correction of a reboot's length.
    mutating func correct(since sinceSeq: Int64, byUsec: Int64) {
      madeUp.append((byUsec, sinceSeq))
    }

    /// The time during which the run's clock stopped while the timer ran. Time that belongs to
    /// several spans, such as a sleep within an absence, counts once.
    func uncountedUsec(_ log: CounterLog) -> Int64 {
      let uncounted = spans.filter(\.isUncounted)
      let ranges = uncounted.map { Self.range($0, log) }
      var sum = -uncounted.reduce(0) { $0 + $1.countedUsec }
      var end = Int64.min
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        sum += max(0, range.upperBound - max(end, range.lowerBound))
        end = max(end, range.upperBound)
      }
      return max(0, sum)
    }

    /// The sum of the steps of the wall clock that changed the time of the run's deadline.
    func steppedUsec(_ run: OpenRun) -> Int64 {
      // The correction of a reboot is recorded together with a step of the clock. That step does
      // not change a deadline that was set before the reboot, so the correction is subtracted.
      let through = madeUp.filter { correction in
        run.run.startSeq <= correction.sinceSeq
          || spans.contains { $0.isUncounted && $0.left.seq == correction.sinceSeq }
      }
      return through.reduce(steppedUsec) { $0 - $1.byUsec }
    }

    private static func range(_ span: HiddenSpan, _ log: CounterLog) -> Range<Int64> {
      let from = log.corrected(span.entered, on: .elapsed)
      return from..<max(from, log.corrected(span.left, on: .elapsed))
    }

    /// The parts of the run's counted time that were hidden from the daemon, by the first cause of
    /// the span, in the order of the spans.
    func hidden(in run: OpenRun, _ log: CounterLog) -> [(cause: Wire.Cause, usec: Int64)] {
      var sums: [(cause: Wire.Cause, usec: Int64)] = []
      let stints = run.counted(by: log).filter { $0.stint.counter == .elapsed }
      for span in spans where !span.isUncounted {
        // The time after a timer's deadline is not part of a stint, so it is not counted.
        let range = Self.range(span, log)
        let usec = stints.reduce(0 as Int64) { $0 + Int64($1.usec.clamped(to: range).count) }
        guard usec > 0 else { continue }
        if let index = sums.firstIndex(where: { $0.cause == span.cause }) {
          sums[index].usec += usec
        } else {
          sums.append((span.cause, usec))
        }
      }
      return sums
    }
  }

  let run: Run
  private let spec: NewTimer?
  private let timer: Wire.Timer?
  private let hidden: [(cause: Wire.Cause, usec: Int64)]
  private let uncountedUsec: Int64
  private let steppedUsec: Int64

  /// - Parameter timer: the timer now; nil: it was removed.
  init(_ run: OpenRun, _ interruptions: Interruptions, timer: Wire.Timer?, _ log: CounterLog) {
    self.run = run.finished(by: OpenRun.DayTimelines(log, days: LocalDays(zone: .utc)))
    (spec, self.timer) = (run.spec, timer)
    hidden = interruptions.hidden(in: run, log)
    uncountedUsec = interruptions.uncountedUsec(log)
    steppedUsec = interruptions.steppedUsec(run)
  }

  /// The summary; nil if it would add nothing to the lines of the story.
  var sentence: String? {
    var parts = [amount].compactMap { $0 }
    switch run.state {
    case .running where isOneCountdown: parts += [moved].compactMap { $0 }
    case .running, .paused, .waiting, .over: parts += changes + rings
    case .missed:
      parts += changes + rings + ["did not ring\(Self.words(run.missLate).map { ",\($0)" } ?? "")"]
    case .cancelled: parts += changes + rings + [run.kind == .stopwatch ? "stopped" : "cancelled"]
    case .finished: parts += changes + rings + ["ended by hand"]
    case .removed, .restarted, .replaced: parts += changes + rings + [run.state.rawValue]
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private var isOneCountdown: Bool {
    if case .countdown? = spec { run.rings == 0 } else { false }
  }

  private func length(_ usec: Int64) -> String { SpanFormat.text(usec: usec, units: 2) }

  // MARK: The counted time

  /// The words for the counted time, such as `4 min on the clock, of which 3 min 12 s asleep`.
  private var amount: String? {
    let soFar = run.state.isActive ? " so far" : ""
    let hidden = hidden.map { "\(length($0.usec)) \(Self.word($0.cause))" }
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
      let perStep = steps.count > 1 ? ", \(Self.list(steps))" : ""
      return "\(length(run.countedUsec)) on the clock\(soFar)\(perStep)\(ofWhich)"
    }
  }

  /// The word for time with this cause.
  private static func word(_ cause: Wire.Cause) -> String {
    switch cause {
    case .sleep: "asleep"
    case .stop: "with the daemon stopped"
    case .down: "with the daemon down"
    case .reboot: "over a reboot"
    case .freeze: "standing still"
    case .away: "locked or idle"
    default: cause.rawValue
    }
  }

  private static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) and \(last)"
  }

  // MARK: Changes of the deadline

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
    guard uncountedUsec > 0 else { return nil }
    return "\(length(uncountedUsec)) not counted (\(run.clock.rawValue))"
  }

  /// The words for a deadline that was moved, such as `rings 7 min later than first set: 2 min
  /// paused and 5 min added`.
  private var moved: String? {
    var reasons: [String] = []
    if run.pausedUsec > 0 { reasons.append("\(length(run.pausedUsec)) paused") }
    if run.extendedUsec != 0 {
      let verb = run.extendedUsec < 0 ? "taken away" : "added"
      reasons.append("\(length(abs(run.extendedUsec))) \(verb)")
    }
    if let uncounted { reasons.append(uncounted) }
    // Setting the clock does not move a deadline on the wall clock.
    let steppedUsec = run.clock == .wall ? 0 : EventText.exact(stepUsec: steppedUsec)
    if steppedUsec != 0 {
      let verb = steppedUsec < 0 ? "back" : "forward"
      reasons.append("the clock set \(verb) by \(length(abs(steppedUsec)))")
    }
    guard !reasons.isEmpty else { return nil }
    let usec = run.pausedUsec + run.extendedUsec + uncountedUsec + steppedUsec
    guard usec != 0 else { return "rings when first set after all: \(Self.list(reasons))" }
    let direction = usec < 0 ? "earlier" : "later"
    return "rings \(length(abs(usec))) \(direction) than first set: \(Self.list(reasons))"
  }

  // MARK: Rings

  private var rings: [String] {
    // If the last expiry did not ring, other words of the summary say so.
    let count = run.missed - (run.state == .missed ? 1 : 0)
    let missed = count > 0 ? ", \(count) missed" : ""
    switch run.rings {
    case 0: return missed.isEmpty ? [] : ["\(count) missed"]
    case 1: return ["rang\(punctuality)\(missed)"]
    default: return ["rang \(run.rings) times, the last\(punctuality)\(missed)"]
    }
  }

  /// The lateness of the last ring.
  private var punctuality: String {
    if let usec = timer?.openRing?.earlyUsec {
      return " \(length(usec)) early, because the clock was ahead"
    }
    let late = Self.words(run.late)
    return run.late?.isEstimated == true ? (late ?? "") + TimerText.estimated : late ?? " on time"
  }

  /// The words for a lateness, such as ` 2 s late, because the machine slept`; nil: on time.
  private static func words(_ late: Run.Lateness?) -> String? {
    guard let late, TimerText.late(usec: late.usec, cause: late.cause) != nil else { return nil }
    let because = late.cause.map { ", because \(TimerText.reason($0))" } ?? ""
    return " \(SpanFormat.text(usec: late.usec, units: 2)) late\(because)"
  }
}
