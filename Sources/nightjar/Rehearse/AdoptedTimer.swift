import NightjarClient
import NightjarCore
import NightjarMethods
import NightjarWire

/// A timer of the running daemon's, put into a rehearsal as it is.
///
/// The daemon tells what people ask for, which is nearly all: that a countdown was extended, or where the
/// rhythm of one that is snoozed has got to, it does not. A restart of the one takes its whole present
/// length, and the other goes on one period from now.
struct AdoptedTimer {
  private let timer: NightjarTimer
  /// The same as the daemon has sent it.
  private let json: JSONValue
  private let timelines: Timelines
  private let now: Moment

  /// - Parameter json: a timer as the daemon sends it.
  /// - Throws: `CommandError`: it is none.
  init(_ json: JSONValue, timelines: Timelines, at now: Moment) throws(CommandError) {
    timer = try Session.timer(json)
    self.json = json
    self.timelines = timelines
    self.now = now
  }

  var name: String { timer.name }

  /// As it would stand on the disk.
  ///
  /// - Throws: `CommandError`: it has something that this version does not know.
  func stored(slot: Int) throws(CommandError) -> Engine.StoredTimer {
    guard Self.choice(TimerKind.allCases, timer.kind.rawValue, \.name) != nil,
      let state = Self.choice(TimerState.allCases, timer.state.rawValue, \.name),
      let clock = Self.choice(Timeline.allCases, timer.clock.rawValue, \.name)
    else {
      throw CommandError(
        .refused, "'\(timer.name)' is of a kind that this version of nightjar does not know")
    }
    let spec = try spec()
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

  /// The specification that a start of the same timer would have.
  private func spec() throws(CommandError) -> TimerSpec {
    let spec: TimerSpec
    do throws(CallError) {
      spec = try TimerSpec(
        startParameters: parameters, calendar: ZoneCalendar(local: LocalTime.zone),
        defaults: SpecDefaults())
    } catch {
      throw CommandError(.refused, "'\(timer.name)' cannot be rehearsed: \(error)")
    }
    if let problem = spec.problem {
      throw CommandError(.refused, "'\(timer.name)' cannot be rehearsed: \(problem.reason)")
    }
    return spec
  }

  /// The parameters of `Start`. Most are fields of `Timer` of the same name and meaning. A rehearsal runs no
  /// command of the timer and makes no sound, so `ring` is left out.
  private var parameters: JSONValue {
    var parameters = kindParameters
    if timer.wake != nil { parameters = parameters.setting("wake", true) }
    // `repeat` says how far a timer has come.
    let different: Set = ["name", "duration_usec", "repeat", "wake", "ring"]
    for field in Shape.Structure.start.fields where !different.contains(field.name) {
      guard let value = json[field.name], !value.isNull else { continue }
      // A timer without data is sent with an empty object.
      if field.name == "data", value == .object([]) { continue }
      parameters = parameters.setting(field.name, value)
    }
    return parameters
  }

  /// What it does, in the words of `Start`.
  private var kindParameters: JSONValue {
    func given(_ members: [(String, JSONValue?)]) -> JSONValue { .members(members) }
    let rounds = timer.repetition?.rounds.map { JSONValue.integer($0) }
    switch timer.kind {
    case .countdown, .other:
      return given([
        ("duration_usec", .integer(originalUsec)),
        ("repeat", isRepeating ? given([("rounds", rounds)]) : nil),
      ])
    case .alarm:
      let point = timer.calendar == nil ? JSONValue.integer(originalUsec) : nil
      return [
        "alarm": given([
          ("at_usec", point), ("calendar", json["calendar"]), ("zone", json["zone"]),
          ("rounds", rounds),
        ])
      ]
    case .stopwatch: return ["stopwatch": true]
    case .sequence:
      return [
        "sequence": given([
          ("steps", json["steps"]), ("rounds", .integer(timer.step?.rounds ?? 0)),
          ("long_every", json["long_every"]), ("after_sleep", json["after_sleep"]),
        ])
      ]
    }
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
