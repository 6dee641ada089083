import NightjarModel
import NightjarTestSupport
import Testing

/// What the rules of section 10 promise, whatever happens: random runs of the model alone.
@Suite struct RingPropertyTests {
  static let seeds = 0..<2000

  @Test func `The rules hold in 2,000 random runs`() {
    var met: Set<String> = []
    for seed in Self.seeds {
      let run = RingPropertyRun(seed: UInt64(seed))
      if let wrong = run.play() {
        Issue.record("seed \(seed): \(wrong)\n\(run.lines.joined(separator: "\n"))")
        return
      }
      met.formUnion(run.met)
    }
    // Runs without these events would prove nothing.
    let everything: Set<String> = [
      "rang", "rang snoozed", "did_not_ring", "joined", "left_ring", "stayed_quiet", "unanswered",
      "rang_again", "snoozed", "dismissed", "stopped", "cancelled", "advanced", "restarted",
      "undone", "forgotten", "skipped", "schedule checked", "snooze checked",
    ]
    #expect(everything.subtracting(met) == [])
  }
}

/// One run, and what its events say about the rings.
final class RingPropertyRun {
  private var random: SplitMix
  private let stage: RingModelStage
  private let names = ["a", "b", "c"]
  /// The steps, for the report.
  private(set) var lines: [String] = []
  private(set) var met: Set<String> = []

  /// What the events say of each timer, by its number.
  private var setups: [Int64: RingSetup] = [:]
  /// The number of expiries of the open ring.
  private var open: [Int64: Int64] = [:]
  /// The wall clock at the end of its snooze, while nobody sets the clock.
  private var snoozeEnds: [Int64: Int64] = [:]
  /// BOOTTIME at the start of timers whose schedule nobody has changed.
  private var untouched: [Int64: Int64] = [:]

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    stage = RingModelStage(startUsec: RingScript.mondayUsec + 25_200_000_000)
  }

  /// Returns what is wrong.
  func play() -> String? {
    for _ in 0..<40 {
      let step = step()
      lines.append("\(RingScript.time(stage.nowUsec)) \(step)")
      let isDone = stage.perform(step)
      if case .start(let name, let setup) = step, isDone { note(started: name, setup) }
      for event in stage.takeEvents() {
        lines.append("    \(event)")
        if let wrong = check(event) { return wrong }
      }
      if case .setClock = step { snoozeEnds = [:] }
      for timer in stage.model.world.timers.all {
        if let wrong = check(timer) { return "\(timer.name): \(wrong)" }
      }
    }
    return nil
  }

  private func note(started name: String, _ setup: RingSetup) {
    guard let timer = stage.model.world.timers.all.first(where: { $0.name == name }) else { return }
    setups[timer.id] = setup
    if setup.spec.kind == .countdown, setup.spec.repeats, setup.spec.rounds == 0,
      setup.clock == .elapsed
    {
      untouched[timer.id] = stage.model.clocks.boottimeUsec
    }
  }
}

// MARK: - Invariants

extension RingPropertyRun {
  private func check(_ event: ModelEvent) -> String? {
    met.insert(event.isSnooze ? "rang snoozed" : event.type)
    guard event.id != 0 else { return nil }
    if event["late"] < 0 { return "\(event) is early" }
    return checkPolicy(event) ?? checkRing(event)
  }

  /// Rule 2: each is judged by its own lateness, and nothing is silent that should ring.
  private func checkPolicy(_ event: ModelEvent) -> String? {
    guard let spec = setups[event.id]?.spec, event.facts["due"] != nil else { return nil }
    if event["late"] != event.timeUsec - event["due"] { return "\(event) has another lateness" }
    let cause = LateCause(rawValue: UInt8(event["cause"]))
    let isHidden = cause != nil && cause != .busy
    var isTooLate = false
    if isHidden {
      switch spec.late {
      case .fire: break
      case .skip: isTooLate = true
      case .fireWithin(let usec): isTooLate = event["late"] > usec
      }
    }
    switch event.type {
    case "rang", "rang_again":
      // Rule 13: what ended before an undo rings at once.
      let isUndone = cause == .undone && (event.isSnooze || event.type == "rang_again")
      return isTooLate && !isUndone ? "\(event) rang too late" : nil
    case "did_not_ring":
      let isOneOfMany = spec.missed == .skip && isHidden && event["missed"] > 0
      return isTooLate || isOneOfMany ? nil : "\(event) should have rung"
    case "stayed_quiet": return isTooLate ? nil : "\(event) should have rung"
    default: return nil
    }
  }

  private static let endings: Set<String> = [
    "dismissed", "stopped", "cancelled", "advanced", "restarted", "removed", "forgotten",
  ]
  private static let changesOfSchedule: Set<String> = [
    "paused", "resumed", "extended", "restarted", "skipped", "unskipped", "undone", "cancelled",
    "rescheduled",
  ]

  /// Rules 4 and 5: the events alone tell which rings are open, and what ended them.
  private func checkRing(_ event: ModelEvent) -> String? {
    let id = event.id
    if Self.changesOfSchedule.contains(event.type) { untouched[id] = nil }
    if event.type != "joined", event.facts["ring"] != nil || event.type == "rang" {
      if event.isSnooze, let end = snoozeEnds[id] {
        met.insert("snooze checked")
        if event["due"] != end { return "\(event) is not the end of its snooze" }
      }
      snoozeEnds[id] = nil
    }
    switch event.type {
    case "rang" where event.isSnooze:
      if open[id] != event["expiries"] { return "\(event) has another count" }
    case "rang":
      open[id, default: 0] += 1
      if open[id] != event["expiries"] { return "\(event) has another count" }
    case "joined":
      guard open[id] != nil else { return "\(event) joined no ring" }
      open[id]? += event["joined"]
      if open[id] != event["expiries"] { return "\(event) has another count" }
    case "left_ring":
      open[id]? -= event["left"]
    case "snoozed":
      guard open[id] != nil else { return "\(event) snoozed no ring" }
      snoozeEnds[id] = event.timeUsec + event["left"]
    case "started": if event["replaced"] != 0 { open[event["replaced"]] = nil }
    case "undone": open[id] = stage.model.world.timers.all.first { $0.id == id }?.ring?.expiries
    case _ where Self.endings.contains(event.type): open[id] = nil
    default: break
    }
    return nil
  }

  private func check(_ timer: ModelTimer) -> String? {
    if timer.ring?.expiries != open[timer.id] {
      return "its ring has \(timer.ring?.expiries ?? 0) expiries, not \(open[timer.id] ?? 0)"
    }
    // Rule 7: a snooze never moves the schedule.
    if let start = untouched[timer.id], timer.state == .running {
      met.insert("schedule checked")
      let due = start + timer.originalUsec * (timer.lastNumber + 1)
      let left = due - stage.model.clocks.boottimeUsec
      if left != timer.remainingUsec { return "\(timer.remainingUsec) are left, not \(left)" }
    }
    return nil
  }
}

// MARK: - Steps

extension RingPropertyRun {
  private static let minute: Int64 = 60_000_000

  private func step() -> RingStep {
    let name = random.pick(names)
    switch random.below(100) {
    case 0..<14: return .start(name, setup())
    case 14..<30: return .ask(.change(.snooze, name, byUsec: random.usec(1...40) * Self.minute))
    case 30..<35: return .ask(.change(random.pick([.dismiss, .stop]), name, byUsec: 0))
    case 35..<44:
      let verbs: [NightjarModel.Operation] = [
        .pause, .resume, .resume, .skip, .unskip, .advance, .advance, .extend, .restart, .cancel,
        .remove, .update,
      ]
      return .ask(.change(random.pick(verbs), name, byUsec: random.usec(1...10) * Self.minute))
    case 44: return .ask(.changeAll(random.pick([.dismiss, .snooze]), byUsec: Self.minute))
    case 45..<48:
      return .ask(
        .answer(
          random.pick([.dismiss, .snooze, .stop]), name, expiry: random.usec(1...5),
          byUsec: random.usec(1...10) * Self.minute, agoUsec: random.usec(0...5) * Self.minute))
    case 48..<53: return .ask(.undo)
    case 53..<75: return .wait(usec: awakeUsec())
    case 75..<87:
      let cause = random.pick([Cause.sleep, .sleep, .sleep, .stop, .down, .freeze])
      return .hide(cause, usec: hiddenUsec())
    case 87..<89: return .crash(usec: hiddenUsec())
    case 89: return .wait(usec: 30 * 60 * Self.minute)
    case 90..<97:
      let usec = random.usec(1...40) * random.pick([Self.minute, 60 * Self.minute])
      return .setClock(byUsec: random.chance(60) ? usec : -usec)
    default: return .moveZone(by: random.pick([1, -1]))
    }
  }

  /// Often exactly until something is due.
  private func awakeUsec() -> Int64 {
    if random.chance(50), let next = stage.model.untilDue { return next }
    return random.usec(0...40 * 60) * 1_000_000
  }

  private func hiddenUsec() -> Int64 {
    random.usec(1...60) * random.pick([1_000_000, Self.minute, Self.minute, 60 * Self.minute])
  }

  private func setup() -> RingSetup {
    var setup = RingSetup()
    var spec = TimerSpec.Shared.plain
    spec.late = random.pick([
      .fire, .fire, .skip, .fireWithin(usec: random.usec(0...60) * Self.minute),
    ])
    spec.missed = random.pick(MissedPolicy.allCases)
    setup.durationUsec = random.usec(1...60) * Self.minute
    setup.clock = random.pick([.elapsed, .elapsed, .elapsed, .awake, .wall])
    setup.replaces = random.chance(40)
    if random.chance(30) { setup.course.insistUsec = random.usec(1...10) * Self.minute }
    if random.chance(30) { setup.course.ringForUsec = random.usec(0...5) * Self.minute }
    switch random.below(5) {
    case 0: break
    case 1:
      spec.repeats = true
      spec.rounds = random.pick([0, 0, 2, 3])
    case 2:
      spec.kind = .alarm
      setup.clock = .wall
      spec.schedule = Schedule(
        expression:
          "\(random.pick([1, 24]) * 60 * Self.minute)/\(random.usec(0...59) * Self.minute)",
        zone: random.pick(["", "Fixed"]))
      spec.rounds = random.pick([0, 0, 2])
    case 3:
      spec.kind = .alarm
      setup.clock = .wall
      setup.atUsec = stage.nowUsec + setup.durationUsec
    default:
      spec.kind = .sequence
      spec.rounds = random.pick([0, 1, 2])
      spec.afterSleep = random.pick(AfterSpan.allCases)
      spec.steps = (0...random.below(3)).map { index in
        Step(
          name: "\(index)", durationUsec: random.usec(1...30) * Self.minute,
          waits: random.chance(30), isBreak: index == 1)
      }
    }
    setup.spec = spec == .plain ? .plain : SharedSpec(spec)
    return setup
  }
}
