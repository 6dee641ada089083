import NightjarModel

/// A step of a script: something that a user or the machine does. A script is played on a
/// `RingStage`.
enum RingStep {
  case start(String, RingSetup)
  case change(RingVerb, String, byUsec: Int64 = 0)
  /// A verb with `--all`.
  case changeAll(RingVerb, byUsec: Int64 = 0)
  /// An answer from elsewhere: the number of the expiry it saw, and how long ago it was given.
  case answer(RingVerb, String, expiry: Int64, byUsec: Int64 = 0, agoUsec: Int64 = 0)
  case undo
  /// Those who make the changes from here on; undo takes back what one of them did together.
  case user(Int)
  case wait(usec: Int64)
  /// A background span, which is announced.
  case hide(Cause, usec: Int64)
  /// A crash, and a start after a while.
  case crash(usec: Int64)
  case setClock(byUsec: Int64)
  /// The machine moves to a zone that is further behind, by ten minutes each.
  case moveZone(by: Int64)
}

enum RingVerb: String {
  case pause, resume, cancel, restart, extend, snooze, dismiss, remove, advance, skip, unskip, stop
  case update

  var operation: NightjarModel.Operation {
    switch self {
    case .pause: .pause
    case .resume: .resume
    case .cancel: .cancel
    case .restart: .restart
    case .extend: .extend
    case .snooze: .snooze
    case .dismiss: .dismiss
    case .remove: .remove
    case .advance: .advance
    case .skip: .skip
    case .unskip: .unskip
    case .stop: .stop
    case .update: .update
    }
  }
}

extension RingStep {
  /// The same as a request; nil: no client asks for it.
  var request: Request? {
    switch self {
    case .start(let name, let setup):
      .start(
        name, durationUsec: setup.durationUsec, atUsec: setup.atUsec, clock: setup.clock,
        spec: setup.spec, course: setup.course, replace: setup.replaces, ifAbsent: false, data: [])
    case .change(let verb, let name, let byUsec): .change(verb.operation, name, byUsec: byUsec)
    case .changeAll(let verb, let byUsec): .changeAll(verb.operation, byUsec: byUsec)
    case .answer(let verb, let name, let expiry, let byUsec, let agoUsec):
      .answer(verb.operation, name, expiry: expiry, byUsec: byUsec, agoUsec: agoUsec)
    case .undo: .undo
    case .user, .wait, .hide, .crash, .setClock, .moveZone: nil
    }
  }
}

/// Those who make the changes of a script.
struct RingPersons {
  private var group = 0
  private var user: Int?

  /// A step as the request of the one whose turn it is; nil: it is none.
  mutating func request(_ step: RingStep) -> Request? {
    if case .user(let number) = step { user = number }
    guard let request = step.request else { return nil }
    if case .undo = request { return request }
    group += 1
    return .personal(request, group: user ?? group)
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

/// Something that people notice, or that `why` reports.
struct RingNote: Equatable {
  enum Kind: String {
    case rings
    case ringsAgain = "rings again"
    case insists
    case doesNotRing = "does not ring"
    case joins
    case leaves
    case staysQuiet = "stays quiet"
    case goesQuiet = "goes quiet"
  }

  var kind: Kind
  var atUsec: Int64
  /// The timer's name, or what was refused.
  var name: String
  var number: Int64 = 0
  var dueUsec: Int64 = 0
  var lateUsec: Int64 = 0
  var cause: LateCause?
  /// For how many others it stands.
  var missed: Int64 = 0
  /// The number of the ring's expiries, and the due time of the first.
  var expiries: Int64 = 0
  var firstDueUsec: Int64 = 0
}

extension RingNote {
  /// Nil: nobody notices this event.
  init?(_ event: ModelEvent) {
    switch event.type {
    case "rang": kind = event.isSnooze ? .ringsAgain : .rings
    case "rang_again": kind = .insists
    case "did_not_ring": kind = .doesNotRing
    case "joined": kind = .joins
    case "left_ring": kind = .leaves
    case "stayed_quiet": kind = .staysQuiet
    case "unanswered": kind = .goesQuiet
    default: return nil
    }
    (atUsec, name, number) = (event.timeUsec, event.name, event["expiry"])
    (dueUsec, lateUsec, missed) = (event["due"], event["late"], event["missed"])
    cause = LateCause(rawValue: UInt8(event["cause"]))
    (expiries, firstDueUsec) = (event["expiries"], event["first_due"])
  }
}

/// A timer as people see it.
struct RingFacts: Equatable {
  var state: String
  /// The time of the next expiry on the wall clock; nil: it is not running.
  var nextUsec: Int64?
  var ring: String
  var snoozedUntilUsec: Int64?
  var number: Int64 = 0
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
  func takeNotes() -> [RingNote]
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
    var lines = text.split(separator: ",").map {
      String($0.drop { $0 == " " })
    }
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
      said += stage.takeNotes().map(Self.text)
      if !isDone { said.append("\(Self.time(stage.nowUsec)) refused: \(line)") }
    }
    return said
  }
}

// MARK: - Words

extension RingScript {
  static func time(_ usec: Int64) -> String {
    let sec = (usec - mondayUsec).quotientAndRemainder(dividingBy: 1_000_000).quotient
    let (day, rest) = (
      sec >= 0 ? sec / 86_400 : (sec + 1) / 86_400 - 1, ((sec % 86_400) + 86_400) % 86_400
    )
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let name = days[Int((day % 7 + 7) % 7)]
    let two = { (number: Int64) in number < 10 ? "0\(number)" : "\(number)" }
    let seconds = rest % 60 == 0 ? "" : ":\(two(rest % 60))"
    let restUsec = (usec - mondayUsec) % 1_000_000
    let fraction = restUsec == 0 ? "" : " and \(restUsec) µs"
    return "\(name) \(rest / 3600):\(two(rest / 60 % 60))\(seconds)\(fraction)"
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

  static func text(_ note: RingNote) -> String {
    var text = "\(time(note.atUsec)) \(note.name) \(note.kind.rawValue)"
    if note.kind == .goesQuiet || note.kind == .leaves { return text }
    if note.dueUsec != note.atUsec { text += ", due \(time(note.dueUsec))" }
    if note.lateUsec != 0 { text += ", \(span(note.lateUsec)) late" }
    if let cause = note.cause { text += " by \(cause.name)" }
    if note.missed > 0 { text += ", \(note.missed) more" }
    if note.expiries > 1, note.kind != .joins {
      text += ", \(note.expiries) expiries since \(time(note.firstDueUsec))"
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
    case "start", "alarm", "sequence", "stopwatch":
      return .start(words[1], setup(words, nowUsec: nowUsec))
    case "undo": return .undo
    case "user": return .user(Int(rest[0]) ?? 0)
    case "wait": return .wait(usec: passingUsec(rest, nowUsec: nowUsec))
    case "sleep": return .hide(.sleep, usec: passingUsec(rest, nowUsec: nowUsec))
    case "freeze": return .hide(.freeze, usec: passingUsec(rest, nowUsec: nowUsec))
    case "tstp": return .hide(.stop, usec: passingUsec(rest, nowUsec: nowUsec))
    case "down": return .hide(.down, usec: passingUsec(rest, nowUsec: nowUsec))
    case "reboot": return .hide(.reboot, usec: passingUsec(rest, nowUsec: nowUsec))
    case "crash": return .crash(usec: passingUsec(rest, nowUsec: nowUsec))
    case "step": return .setClock(byUsec: spanUsec(rest[0]))
    case "zone": return .moveZone(by: Int64(rest[0].drop { $0 == "+" }) ?? 0)
    case "answer":
      guard let verb = RingVerb(rawValue: rest[0]) else { break }
      return .answer(
        verb, rest[1], expiry: Int64(rest[2]) ?? 0,
        byUsec: rest.count > 3 ? spanUsec(rest[3]) : 0,
        agoUsec: rest.count > 4 ? spanUsec(rest[4]) : 0)
    default:
      guard let verb = RingVerb(rawValue: words[0]) else { break }
      let usec = rest.count > 1 ? spanUsec(rest[1]) : 0
      return rest[0] == "--all"
        ? .changeAll(verb, byUsec: usec) : .change(verb, rest[0], byUsec: usec)
    }
    preconditionFailure("\(line) is no step")
  }

  /// A time span, or `until` with a day and a time of day.
  private static func passingUsec(_ words: [String], nowUsec: Int64) -> Int64 {
    guard words[0] == "until" else { return spanUsec(words[0]) }
    let today = (nowUsec - mondayUsec) / dayUsec
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
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
    let kinds = ["alarm": TimerKind.alarm, "sequence": .sequence, "stopwatch": .stopwatch]
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
        spec.late =
          late == "skip" ? .skip : late == "fire" ? .fire : .fireWithin(usec: spanUsec(late))
      case "--missed":
        let missed = option()
        spec.missed = missed == "each" ? .each : missed == "skip" ? .skip : .once
      case "--ring-for": setup.course.ringForUsec = spanUsec(option())
      case "--insist": setup.course.insistUsec = spanUsec(option())
      case "--after-sleep": spec.afterSleep = option() == "pause" ? .pause : .restart
      case "--clock":
        let clock = option()
        setup.clock = clock == "wall" ? .wall : clock == "awake" ? .awake : .elapsed
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
