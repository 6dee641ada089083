import NightjarClient
import NightjarTime

/// A summary of a timer's story, in one sentence.
struct StorySummary {
  let run: Run
  private let spec: NewTimer?
  private let timer: Wire.Timer?
  /// The parts of the counted time that were hidden from the daemon, by the first cause of the
  /// span, in the order of the spans.
  private var hidden: [(cause: Wire.Cause, usec: Int64)] = []
  /// The time during which the run's clock stood still while the timer ran.
  private let uncountedUsec: Int64
  private let steppedUsec: Int64

  /// - Parameters:
  ///   - steppedUsec: the sum of the steps of the wall clock that changed the time of the run's
  ///     deadline.
  ///   - timer: the timer now; nil: it was removed.
  init(_ run: OpenRun, _ spans: HiddenTime, steppedUsec: Int64, timer: Wire.Timer?) {
    let stopping = spans.stopping(run.run.clock)
    self.run = run.finished(stopping, days: LocalDays(zone: .utc))
    (spec, self.timer, self.steppedUsec) = (run.spec, timer, steppedUsec)
    // A clock may have counted a part of a span, as `awake` does while only the daemon is down.
    let hiddenUsec = run.stretches.reduce(0) {
      $0 + ($1.from.usec..<max($1.from.usec, $1.until.usec)).usec(in: stopping)
    }
    let lengthUsec = run.stretches.reduce(0) { $0 + $1.until.usec - $1.from.usec } - steppedUsec
    uncountedUsec = hiddenUsec > 0 ? max(0, lengthUsec - self.run.countedUsec) : 0
    let parts = run.placed(stopping).flatMap(\.parts)
    for span in spans.spans where !span.stops(run.run.clock) && !span.isAbsence {
      guard let cause = span.causes.first else { continue }
      let usec = span.range.usec(in: parts)
      guard usec > 0 else { continue }
      if let index = hidden.firstIndex(where: { $0.cause == cause }) {
        hidden[index].usec += usec
      } else {
        hidden.append((cause, usec))
      }
    }
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
    case 1: return ["rang\(punctuality)\(lack)\(missed)"]
    default: return ["rang \(run.rings) times, the last\(punctuality)\(lack)\(missed)"]
    }
  }

  private var lack: String { run.lack.map { ", but \($0)" } ?? "" }

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
