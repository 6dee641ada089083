import NightjarModel

/// A step of a script: something that a user or the machine does. A script is played on a
/// `RingStage`.
enum RingStep {
  case start(String, RingSetup)
  case ask(Request)
  case wait(usec: Int64)
  /// A background span, which is announced.
  case hide(Cause, usec: Int64)
  /// A crash, and a start after a while.
  case crash(usec: Int64)
  case setClock(byUsec: Int64)
  /// The machine moves to a zone that is further behind, by ten minutes each.
  case moveZone(by: Int64)
}

extension RingStep {
  /// The same as a request; nil: no client asks for it.
  var request: Request? {
    switch self {
    case .start(let name, let setup):
      .start(
        name, durationUsec: setup.durationUsec, atUsec: setup.atUsec, clock: setup.clock,
        spec: setup.spec, course: setup.course, replace: setup.replaces, ifAbsent: false, data: [])
    case .ask(let request): request
    case .wait, .hide, .crash, .setClock, .moveZone: nil
    }
  }
}

/// The persons of a script: each change is another one's.
struct RingPersons {
  private var group = 0

  /// A step as a person's request; nil: it is none.
  mutating func request(_ step: RingStep) -> Request? {
    guard let request = step.request else { return nil }
    if case .undo = request { return request }
    group += 1
    return .personal(request, group: group)
  }
}

/// What a timer is started with.
struct RingSetup {
  var durationUsec: Int64 = 0
  var atUsec: Int64?
  var clock = Timeline.elapsed
  var spec = SharedSpec.plain
  var course = ModelCourse()
  var replaces = false
}

/// A timer as people see it.
struct RingFacts {
  var state: String
  /// The time of the next expiry on the wall clock; nil: it is not running.
  var nextUsec: Int64?
  var ring: String
  var snoozedUntilUsec: Int64?
  /// The due time of the ring's newest expiry.
  var dueUsec: Int64 = 0
  var expiries: Int64 = 0
  var firstDueUsec: Int64 = 0
  /// Rule 3, apart from the ring.
  var misses: Int64 = 0
  var missDueUsec: Int64 = 0
  var missLateUsec: Int64 = 0
}

/// Plays scripts: the model, or the engine.
protocol RingStage {
  var nowUsec: Int64 { get }
  /// Carries out a step. Returns false if it is refused.
  func perform(_ step: RingStep) -> Bool
  /// Nil: there is no such timer.
  func facts(_ name: String) -> RingFacts?
  /// What happened since the last call of this.
  func takeEvents() -> [ModelEvent]
}

/// The scripts' notation.
struct RingScript {
  /// Monday, 2026-11-23, UTC.
  static let mondayUsec: Int64 = 1_795_392_000_000_000
  static let dayUsec: Int64 = 86_400_000_000

  let startUsec: Int64
  let lines: [String]

  /// - Parameter text: steps, divided by commas; the first one is the time of day.
  init(_ text: String) {
    var lines = text.split(separator: ",").map { String($0.drop { $0 == " " }) }
    startUsec = Self.mondayUsec + Self.clockUsec(lines.removeFirst())
    self.lines = lines
  }

  /// Plays it. Returns what happened, and the timers that it lists, in words.
  func play(on stage: some RingStage) -> [String] {
    var said: [String] = []
    for line in lines {
      if line.hasPrefix("list ") {
        let name = String(line.dropFirst(5))
        said.append("\(name): \(stage.facts(name).map(Self.text) ?? "is not there")")
        continue
      }
      let step = Self.step(line, nowUsec: stage.nowUsec)
      let isDone = stage.perform(step)
      said += stage.takeEvents().compactMap { Self.note($0) }
      if !isDone { said.append("\(Self.time(stage.nowUsec)) refused: \(line)") }
    }
    return said
  }
}

// MARK: - Words

extension RingScript {
  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  static func time(_ usec: Int64) -> String {
    // Since a Monday long before, because the clock may be set back behind `mondayUsec`.
    let passed = usec - mondayUsec + 700 * dayUsec
    let (day, rest) = (passed / dayUsec % 7, passed % dayUsec / 1_000_000)
    let two = { (number: Int64) in number < 10 ? "0\(number)" : "\(number)" }
    let seconds = rest % 60 == 0 ? "" : ":\(two(rest % 60))"
    let fraction = passed % 1_000_000 == 0 ? "" : " and \(passed % 1_000_000) µs"
    return "\(days[Int(day)]) \(rest / 3600):\(two(rest / 60 % 60))\(seconds)\(fraction)"
  }

  static func span(_ usec: Int64) -> String {
    if usec < 0 { return "-\(span(-usec))" }
    let sec = usec / 1_000_000
    let parts = [
      (sec / 86_400, "d"), (sec / 3600 % 24, "h"), (sec / 60 % 60, "min"), (sec % 60, "s"),
      (usec % 1_000_000, "µs"),
    ]
    let text = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return text.isEmpty ? "0 µs" : text.joined(separator: " ")
  }

  private static let words = [
    "rang": "rings", "rang_again": "insists", "did_not_ring": "does not ring", "joined": "joins",
    "left_ring": "leaves", "stayed_quiet": "stays quiet", "unanswered": "goes quiet",
  ]

  /// What people notice of an event, or what `why` reports; nil: nobody notices it.
  static func note(_ event: ModelEvent) -> String? {
    guard let word = words[event.type] else { return nil }
    var text = "\(time(event.timeUsec)) \(event.name) \(event.isSnooze ? "rings again" : word)"
    if event.type == "unanswered" || event.type == "left_ring" { return text }
    if event["due"] != event.timeUsec { text += ", due \(time(event["due"]))" }
    if event["late"] != 0 { text += ", \(span(event["late"])) late" }
    if let cause = LateCause(rawValue: UInt8(event["cause"])) { text += " by \(cause.name)" }
    if event["missed"] > 0 { text += ", \(event["missed"]) more" }
    if event["expiries"] > 1, event.type != "joined" {
      text += ", \(event["expiries"]) expiries since \(time(event["first_due"]))"
    }
    return text
  }

  static func text(_ facts: RingFacts) -> String {
    var parts = [facts.state]
    if let next = facts.nextUsec { parts.append("next \(time(next))") }
    if facts.ring != "none" {
      var ring = facts.ring
      if let until = facts.snoozedUntilUsec { ring += " until \(time(until))" }
      parts.append("\(ring), due \(time(facts.dueUsec))")
      if facts.expiries > 1 {
        parts.append("\(facts.expiries) expiries since \(time(facts.firstDueUsec))")
      }
    }
    if facts.misses > 0 {
      let count = facts.misses > 1 ? "\(facts.misses) misses" : "missed"
      parts.append("\(count), due \(time(facts.missDueUsec)), \(span(facts.missLateUsec)) late")
    }
    return parts.joined(separator: "; ")
  }
}

// MARK: - Reading

extension RingScript {
  /// A time of day: hours and minutes.
  static func clockUsec(_ text: some StringProtocol) -> Int64 {
    let parts = text.split(separator: ":").map { Int64($0) ?? 0 }
    return (parts[0] * 3600 + (parts.count > 1 ? parts[1] : 0) * 60) * 1_000_000
  }

  static func spanUsec(_ text: some StringProtocol) -> Int64 {
    if text.hasPrefix("+") { return spanUsec(text.dropFirst()) }
    if text.hasPrefix("-") { return -spanUsec(text.dropFirst()) }
    if text.hasSuffix("us"), let usec = Int64(text.dropLast(2)) { return usec }
    let units: [(String, Int64)] = [("min", 60), ("h", 3600), ("d", 86_400), ("s", 1)]
    for (unit, sec) in units where text.hasSuffix(unit) {
      guard let number = Int64(text.dropLast(unit.count)) else { break }
      return number * sec * 1_000_000
    }
    preconditionFailure("\(text) is no time span")
  }

  static func step(_ line: String, nowUsec: Int64) -> RingStep {
    let words = line.split(separator: " ").map(String.init)
    let rest = Array(words.dropFirst())
    switch words[0] {
    case "start", "alarm", "sequence": return .start(rest[0], setup(words, nowUsec: nowUsec))
    case "undo": return .ask(.undo)
    case "wait": return .wait(usec: passingUsec(rest, nowUsec: nowUsec))
    case "sleep": return .hide(.sleep, usec: passingUsec(rest, nowUsec: nowUsec))
    case "reboot": return .hide(.reboot, usec: passingUsec(rest, nowUsec: nowUsec))
    case "crash": return .crash(usec: passingUsec(rest, nowUsec: nowUsec))
    case "step": return .setClock(byUsec: spanUsec(rest[0]))
    case "zone": return .moveZone(by: Int64(rest[0].drop { $0 == "+" }) ?? 0)
    case "answer":
      return .ask(
        .answer(
          operation(rest[0]), rest[1], expiry: Int64(rest[2]) ?? 0,
          byUsec: rest.count > 3 ? spanUsec(rest[3]) : 0,
          agoUsec: rest.count > 4 ? spanUsec(rest[4]) : 0))
    default:
      let usec = rest.count > 1 ? spanUsec(rest[1]) : 0
      return .ask(.change(operation(words[0]), rest[0], byUsec: usec))
    }
  }

  private static func operation(_ name: String) -> NightjarModel.Operation {
    guard let operation = NightjarModel.Operation.allCases.first(where: { "\($0)" == name }) else {
      preconditionFailure("\(name) is no step")
    }
    return operation
  }

  /// A time span, or `until` with a day and a time of day.
  private static func passingUsec(_ words: [String], nowUsec: Int64) -> Int64 {
    guard words[0] == "until" else { return spanUsec(words[0]) }
    let today = (nowUsec - mondayUsec) / dayUsec
    var day = today
    if words[1] == "tomorrow" { day += 1 }
    if let named = days.firstIndex(of: words[1]) {
      day += (Int64(named) - today % 7 + 7) % 7
    }
    return mondayUsec + day * dayUsec + clockUsec(words[words.count - 1]) - nowUsec
  }

  private static func setup(_ words: [String], nowUsec: Int64) -> RingSetup {
    var setup = RingSetup()
    var spec = TimerSpec.Shared.plain
    let kinds = ["alarm": TimerKind.alarm, "sequence": .sequence]
    spec.kind = kinds[words[0]] ?? .countdown
    if spec.kind == .sequence { spec.rounds = 1 }
    var isDaily = false
    var index = 2
    func option() -> String {
      index += 1
      return words[index]
    }
    while index < words.count {
      let word = words[index]
      switch word {
      case "daily": isDaily = true
      case "--repeat": spec.repeats = true
      case "--rounds", "--loop": spec.rounds = Int64(option()) ?? 0
      case "--late":
        let late = option()
        spec.late = late == "skip" ? .skip : .fireWithin(usec: spanUsec(late))
      case "--missed": spec.missed = option() == "each" ? .each : .skip
      case "--ring-for": setup.course.ringForUsec = spanUsec(option())
      case "--insist": setup.course.insistUsec = spanUsec(option())
      case "--clock": setup.clock = option() == "wall" ? .wall : .awake
      case "--replace": setup.replaces = true
      case "--wait":
        for step in spec.steps.indices { spec.steps[step].waits = true }
      case _ where spec.kind == .alarm && isDaily:
        spec.schedule = Schedule(expression: "\(dayUsec)/\(clockUsec(word))", zone: "")
      case _ where spec.kind == .alarm:
        let today = (nowUsec - mondayUsec) / dayUsec
        let at = mondayUsec + today * dayUsec + clockUsec(word)
        setup.atUsec = at > nowUsec ? at : at + dayUsec
      case _ where spec.kind == .sequence:
        let parts = word.split(separator: "=")
        spec.steps.append(
          Step(
            name: String(parts[0]), durationUsec: spanUsec(parts[1]), isBreak: parts[0] == "rest"))
      default: setup.durationUsec = spanUsec(word)
      }
      index += 1
    }
    setup.spec = spec == .plain ? .plain : SharedSpec(spec)
    return setup
  }
}
