import NightjarClient
import NightjarCore
import NightjarWire

/// A timer of the running daemon's, put into a rehearsal as it is.
///
/// The daemon tells what people ask for, which is nearly all: that a countdown was extended, or where the
/// rhythm of one that is snoozed has got to, it does not. A restart of the one takes its whole present
/// length, and the other goes on one period from now.
struct AdoptedTimer {
  private let timer: NightjarTimer
  private let timelines: Timelines
  private let now: Moment

  init(_ timer: NightjarTimer, timelines: Timelines, at now: Moment) {
    self.timer = timer
    self.timelines = timelines
    self.now = now
  }

  /// As it would stand on the disk.
  ///
  /// - Throws: `CommandError`: it has something that this version does not know.
  func stored(slot: Int) throws(CommandError) -> Engine.StoredTimer {
    guard let state = Self.choice(TimerState.allCases, timer.state.rawValue, \.name),
      let clock = Self.choice(Timeline.allCases, timer.clock.rawValue, \.name),
      let spec = try spec(on: clock)
    else {
      throw CommandError(
        .refused, "'\(timer.name)' is of a kind that this version of nightjar does not know")
    }
    let timeline = timeline(clock)
    let (point, held) = standing(state, on: timeline)
    var record = TimerRecord(
      id: timer.id, lastSeq: timer.id, originalUsec: originalUsec,
      durationUsec: timer.durationUsec, point: point, held: held,
      startedUsec: timer.startedUsec, firedUsec: timer.firedUsec ?? 0, state: state,
      clock: clock, timeline: timeline, lateCause: lateCause, setSeq: timer.id)
    record.wakes = spec.wakes
    let (attachments, shared) = (spec.attachments, SharedSpec(spec.shared))
    return Engine.StoredTimer(
      slot: slot, record: record,
      order: state == .paused || state == .waiting ? 0 : timer.id,
      attachments: attachments.isEmpty ? nil : attachments,
      spec: shared.isPlain ? nil : shared,
      detail: shared.isPlain ? TimerDetail() : detail(on: clock), laps: timer.lapUsecs)
  }

  // MARK: What it does

  private func spec(on clock: Timeline) throws(CommandError) -> TimerSpec? {
    guard let kind = Self.choice(TimerKind.allCases, timer.kind.rawValue, \.name) else {
      return nil
    }
    let late: LatePolicy =
      switch timer.late {
      case .fire: .fire
      case .skip: .skip
      case .fireWithin(let span): .fireWithin(usec: span.usec)
      }
    let steps = timer.steps.map {
      Step(
        name: $0.name, durationUsec: $0.duration.usec, waits: $0.waits, isBreak: $0.isBreak,
        longUsec: $0.long?.usec)
    }
    let labels = timer.labels.map { Label(key: $0.key, value: $0.value) }
    let shared = TimerSpec.Shared(
      kind: kind, repeats: kind == .countdown && timer.repetition != nil,
      rounds: timer.repetition?.rounds ?? timer.step?.rounds ?? 0,
      schedule: timer.calendar.map { Schedule(expression: $0, zone: timer.zone ?? "") },
      steps: steps, longEvery: timer.longEvery ?? 0,
      afterSleep: Self.choice(
        NightjarCore.AfterSleep.allCases, timer.afterSleep?.rawValue ?? "", \.name) ?? .continue,
      bands: timer.bands.map(Self.band), late: late,
      missed: Self.choice(NightjarCore.MissedPolicy.allCases, timer.missed.rawValue, \.name)
        ?? .once)
    let spec = TimerSpec(
      shared: shared, clock: clock, durationUsec: kind == .countdown ? originalUsec : 0,
      atUsec: kind == .alarm && timer.calendar == nil ? originalUsec : nil,
      wakes: timer.wake != nil,
      // A rehearsal runs no command and makes no sound.
      attachments: Attachments(
        labels: labels, data: timer.data == .object([]) ? [] : Array(timer.data.text.utf8)))
    if let problem = spec.problem {
      throw CommandError(.refused, "'\(timer.name)' cannot be rehearsed: \(problem.reason)")
    }
    return spec
  }

  private static func band(_ band: NightjarClient.Band) -> NightjarCore.Band {
    var own = NightjarCore.Band(name: band.name, remainingUsec: band.remaining.usec)
    (own.color, own.text) = (band.color ?? "", band.text ?? "")
    own.progress = band.progress.flatMap {
      guard let from = ProgressRange.millionths($0.from), let to = ProgressRange.millionths($0.to)
      else { return nil }
      return ProgressRange(from: from, to: to)
    }
    return own
  }

  private var isRepeating: Bool { timer.repetition != nil }

  private func detail(on clock: Timeline) -> TimerDetail {
    var detail = TimerDetail()
    let position = timer.repetition?.rung ?? timer.step.map { $0.number - 1 } ?? 0
    detail.position = UInt32(clamping: position)
    detail.isSnoozed = timer.repetition?.isSnoozed ?? (timeline(clock) != clock)
    detail.markSeq = timer.id
    detail.wasSkipped = timer.isSkipped
    let begun = timer.bands.count { timer.remainingUsec <= $0.remaining.usec }
    detail.band = UInt8(clamping: begun)
    if timer.calendar != nil {
      detail.mark = now.realtimeUsec
    } else if detail.isSnoozed, let period = timer.repetition?.periodUsec {
      detail.mark = timelines.reading(clock, at: now) + period
    }
    if timer.state == .running, let ago = timer.firedAgoUsec {
      detail.rangAtElapsed = timelines.reading(.elapsed, at: now) - ago
      detail.rangSeq = timer.id
    }
    return detail
  }

  // MARK: Where it stands

  private var originalUsec: Int64 {
    switch timer.kind {
    case .alarm: isRepeating ? 0 : timer.deadlineUsec ?? now.realtimeUsec + timer.remainingUsec
    case .sequence: timer.steps.first?.duration.usec ?? timer.durationUsec
    case .stopwatch: 0
    // One that was shortened has the length that it has now, which may be nothing.
    case .countdown, .other: timer.repetition?.periodUsec ?? max(1, timer.durationUsec)
    }
  }

  private var lateCause: LateCause? {
    Self.choice(LateCause.allCases, timer.lateCause?.rawValue ?? "", \.name)
  }

  /// A snooze is on `elapsed` whatever the clock: then there is a deadline on CLOCK_BOOTTIME.
  private func timeline(_ clock: Timeline) -> Timeline {
    timer.deadlineBoottimeUsec != nil ? .elapsed : clock
  }

  /// `TimerRecord.point`, and what is held.
  private func standing(_ state: TimerState, on timeline: Timeline) -> (Int64, Int64) {
    let reading = timelines.reading(timeline, at: now)
    let ended = timelines.reading(.elapsed, at: now) - (timer.firedAgoUsec ?? 0)
    let isUp = timer.kind == .stopwatch
    switch state {
    case .running where isUp: return (reading - timer.elapsedUsec, 0)
    case .running:
      // By its deadline, for some time has passed since the daemon told what remained.
      let remaining = timer.deadlineUsec.map { $0 - now.realtimeUsec } ?? timer.remainingUsec
      return (reading + remaining, timer.lateUsec ?? 0)
    case .paused where timer.kind == .alarm && timeline == .wall:
      return (reading + timer.remainingUsec, 0)
    case .paused: return (0, isUp ? timer.elapsedUsec : timer.remainingUsec)
    case .cancelled: return (ended, isUp ? timer.elapsedUsec : timer.remainingUsec)
    case .fired, .waiting: return (ended, timer.lateUsec ?? 0)
    }
  }

  private static func choice<Choice>(
    _ choices: [Choice], _ word: String, _ name: (Choice) -> StaticString
  ) -> Choice? {
    choices.first { "\(name($0))" == word }
  }
}
