import NightjarEngine
import NightjarModel
import NightjarTestSupport

/// The kernel's clocks, moved by the test.
struct TestClocks {
  var now = Moment(
    realtimeUsec: 1_700_000_000_000_000, boottimeUsec: 1000 * second, monotonicUsec: 900 * second,
    bootID: BootID(high: 1, low: 1))

  mutating func run(_ usec: Int64) {
    sleep(usec)
    now.monotonicUsec += usec
  }

  mutating func sleep(_ usec: Int64) {
    now.realtimeUsec += usec
    now.boottimeUsec += usec
  }

  mutating func step(_ usec: Int64) { now.realtimeUsec += usec }

  mutating func reboot(off: Int64, uptime: Int64, error: Int64 = 0) {
    now = Moment(
      realtimeUsec: now.realtimeUsec + off + uptime + error, boottimeUsec: uptime,
      monotonicUsec: uptime, bootID: BootID(high: 1, low: now.bootID.low + 1))
  }
}

let second: Int64 = 1_000_000
let hour: Int64 = 3600 * second

/// The bus, the clocks and the engine, with everything that was posted.
final class Stage: NotificationObserver {
  var clocks = TestClocks()
  let bus = NotificationBus()
  let background: Background
  let engine: Engine
  private(set) var posted: [Notification] = []

  var now: Moment { clocks.now }

  init(
    clocks: TestClocks = TestClocks(), calendar: any Calendar = NoCalendar(),
    maximumTimers: Int = 100
  ) {
    self.clocks = clocks
    background = Background(at: clocks.now, bus: bus)
    engine = Engine(
      background: background, bus: bus, calendar: calendar, maximumTimers: maximumTimers)
    bus.register(engine)
    bus.register(self)
  }

  func observe(_ notification: Notification, at moment: Moment) { posted.append(notification) }

  /// Runs a loop iteration without a request.
  func runIteration() { runIteration { _ in } }

  /// Runs a loop iteration in which `body` is called.
  func runIteration(_ body: (Engine) throws -> Void) rethrows {
    background.observe(now)
    while engine.fireDue(at: now) {}
    try body(engine)
    while engine.fireDue(at: now) {}
    background.arm(engine.wake, at: now)
  }

  /// Lets time pass while everything runs, and then runs an iteration.
  func run(_ usec: Int64) {
    clocks.run(usec)
    runIteration()
  }

  func enter(_ cause: Cause) { runIteration { _ in background.enter(cause, at: now) } }
  func leave(_ cause: Cause) { runIteration { _ in background.leave(cause, at: now) } }

  @discardableResult
  func start(_ name: String, _ usec: Int64, _ clock: Timeline = .elapsed) throws -> Int {
    try start(name, nil, usec: usec, clock)
  }

  @discardableResult func start(
    _ name: String, _ spec: SharedSpec?, usec: Int64 = 0, atUsec: Int64? = nil,
    _ clock: Timeline = .elapsed
  ) throws -> Int {
    var slot = 0
    try runIteration {
      slot = try $0.start(
        name, durationUsec: usec, atUsec: atUsec, clock: clock, spec: spec, at: now
      ).slot
    }
    return slot
  }

  /// Carries out an operation, outside of an iteration.
  func perform(_ operation: NightjarModel.Operation, _ slot: Int) throws(EngineError) {
    if operation == .update { return try engine.update(slot, data: [1], at: now) }
    let usec = operation == .snooze ? 5 * second : second
    try engine.perform(operation, slot, byUsec: usec, at: now)
  }

  func remaining(_ slot: Int) -> Int64 { engine.view(slot, at: now).remainingUsec }
  func state(_ slot: Int) -> TimerState? { engine.timer(at: slot).state }
  func ring(_ slot: Int) -> Ring? { engine.timer(at: slot).ring }

  /// The spans that began, ended and were extended, as they were posted.
  var left: [Span] {
    posted.compactMap { if case .willEnterForeground(let span) = $0 { span } else { nil } }
  }
  var entered: [Span] {
    posted.compactMap { if case .didEnterBackground(let span) = $0 { span } else { nil } }
  }
  var steps: [Int64] {
    posted.compactMap { if case .clockStepped(let usec) = $0 { usec } else { nil } }
  }
  var corrections: [Int64] {
    posted.flatMap { notification -> [Int64] in
      guard case .spansCorrected(let all) = notification else { return [] }
      return all.map(\.byUsec)
    }
  }
  var events: [Event] {
    posted.compactMap { if case .recorded(let event) = $0 { event } else { nil } }
  }
  /// The name, lateness, cause and span of each expiry and end of a snooze that rang.
  var rings: [Rung] {
    events.compactMap { event in
      guard case .rang(let late, _, _) = event.kind else { return nil }
      return Rung(
        name: event.subject?.name ?? "", lateUsec: late.usec, cause: late.cause, span: late.span)
    }
  }
}

struct Rung: Equatable {
  var name: String
  var lateUsec: Int64 = 0
  var cause: LateCause?
  var span: Int64 = 0
}

extension Stage {
  /// A later run of the daemon that continues from what this one would have stored at `moment`.
  func successor(from moment: Moment, downSince: Int64? = nil, synchronized: Bool = true) -> Stage {
    let state = background.state(at: moment)
    let next = Stage(clocks: clocks)
    next.background.resume(
      state, nextSpanID: (state.open?.id ?? state.last?.id ?? 0) + 1, downSince: downSince,
      at: next.now)
    if let left = next.background.last {
      next.background.note(left: left, seq: next.engine.leftSeq)
    }
    next.background.note(synchronized: synchronized, at: next.now)
    next.runIteration()
    return next
  }

  /// The present counter of a timeline.
  func reading(_ timeline: Timeline) -> Int64 {
    background.timelines.reading(timeline, at: now)
  }
}
