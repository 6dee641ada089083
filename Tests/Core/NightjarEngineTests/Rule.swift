import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// A rule of the engine: a sentence, a script that shows it, and what the stage says meanwhile.
///
/// A script has these steps, divided by commas:
///
/// - `start tea 60s wall repeat rounds=3 late=skip bands=warn:10s`, `alarm wake in=1h`,
///   `alarm wake every=10min`, `stopwatch run`, `sequence pom steps=work:60s+rest:20s/50s:break`
/// - an operation, such as `extend tea 5s`; `change tea bands=warn:10s`; `rename tea egg`; `undo`;
///   `by 1` and `by nobody`, which say who makes the changes from there on
/// - `wait 5s`: the loop runs whenever it is armed. `run 5s`: it runs once, at the end. `pass 5s`
///   and `doze 5s`: it does not run, while the machine is awake or asleep. `look`: it runs
/// - `sleep 1h` is a span, and so are `enter stop` and `leave stop`
/// - `step 1h` sets the wall clock, and `shift 1h` does so unseen; `zone 3min`; `ends 1h` ends the
///   calendar; `synchronized`, `unsynchronized`, `away`, `here`, `unknown`
/// - `anchor` is what the daemon stored last, `seen` its end as the manager saw it; `reboot 3h 30s
///   -1h` is the time off, the uptime and the error of the clock; `boot` and `boot unsynchronized`;
///   `impatient`: the daemon does not wait for the clock
/// - `most 2` limits the timers, `usual 1min` is how long rings usually insist, and after `sounds`
///   the ends of sounds are said, too
/// - `show tea`, `ring tea`, `progress tea`, `passed tea`, `clocks`, `spans`, `last`, `steps`,
///   `corrections`, `counters`, `doubt`, `entered`, `armed`, `alarms` and `next` ask, and `same
///   tea` asks whether it is as at `keep tea`
struct Rule: CustomTestStringConvertible, Sendable {
  private let sentence: String
  private var script: String
  private var said: [String]

  init(_ sentence: String, _ script: String, _ said: String...) {
    self.init(sentence, script, said: said)
  }

  init(_ sentence: String, _ script: String, said: [String]) {
    (self.sentence, self.script, self.said) = (sentence, script, said)
  }

  var testDescription: String { sentence }

  /// The rules in a text: a line is a sentence, and below it are the script, indented, and what is
  /// said, after `->` and divided by semicolons. `#` begins a comment.
  static func table(_ text: String) -> [Rule] {
    var rules: [Rule] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("  -> ") {
        let said = line.dropFirst(5).split(separator: "; ").map { String($0) }
        rules[rules.count - 1].said += said
      } else if line.hasPrefix("  ") {
        rules[rules.count - 1].script += line
      } else {
        rules.append(Rule(String(line), ""))
      }
    }
    for rule in rules {
      precondition(!rule.script.isEmpty, "\(rule.sentence): there is no script")
      precondition(!rule.said.isEmpty, "\(rule.sentence): nothing is said")
    }
    return rules.flatMap(\.alternatives)
  }

  /// The rule itself, or one for each of the words in its sentence, as in `a {red|blue} car`. Below
  /// the sentence `{}` is that word.
  private var alternatives: [Rule] {
    guard let begin = sentence.firstIndex(of: "{"), let end = sentence.firstIndex(of: "}") else {
      return [self]
    }
    let words = sentence[begin..<end].dropFirst()
    return words.split(separator: "|", omittingEmptySubsequences: false).map { word in
      Rule(
        sentence.replacing(sentence[begin...end], with: word),
        script.replacing("{}", with: word), said: said.map { $0.replacing("{}", with: word) })
    }
  }

  /// Checks a rule that is the only one of its test.
  static func check(_ script: String, _ said: String...) {
    Rule("A script", script, said: said).check()
  }

  /// - Parameter beginning: steps before those of the script.
  func check(after beginning: String = "") {
    let player = RulePlayer()
    player.play(beginning)
    player.play(script)
    #expect(player.said == said, "\(sentence): \(script)")
    #expect(player.stage.engine.violatedInvariant() == nil)
  }
}

/// The words for all clocks, as alternatives of a sentence.
let eachClock = "{\(Timeline.allCases.map { "\($0)" }.joined(separator: "|"))}"

/// The case that a word of a script names.
private func named<Value: CaseIterable>(_ word: String) -> Value {
  guard let value = Value.allCases.first(where: { "\($0)" == word }) else {
    preconditionFailure("\(word) is no \(Value.self)")
  }
  return value
}

private func integer(_ word: String) -> Int64 {
  guard let integer = Int64(word) else { preconditionFailure("\(word) is no number") }
  return integer
}

/// Plays a script on a stage, and on those that continue from it.
private final class RulePlayer {
  private let calendar = TestCalendar()
  private(set) var stage: Stage
  private(set) var said: [String] = []
  /// How many of the stage's events were said.
  private var count = 0
  /// The names of timers. If there are several, each event is said with its name.
  private var names: Set<String> = []
  /// Whether it says when sounds end.
  private var saysSounds = false
  private var person: String?
  private var (anchor, seen): (Moment?, Moment?) = (nil, nil)
  private var kept: Kept?

  init() { stage = Stage(calendar: calendar) }

  func play(_ script: String) {
    let steps = script.split(separator: ",").map { $0.split(separator: " ").map(String.init) }
    let starts = ["start", "alarm", "stopwatch", "sequence"]
    for words in steps {
      if starts.contains(words[0]) { names.insert(words[1]) }
      if words[0] == "rename" { names.insert(words[2]) }
    }
    for words in steps {
      let refusal = play(words)
      for event in stage.events.dropFirst(count) {
        if case .unanswered = event.kind, !saysSounds { continue }
        guard let line = Stage.line(event, named: names.count > 1) else { continue }
        said.append(line)
      }
      count = stage.events.count
      if let refusal { said.append("refused: \(Self.reason(refusal))") }
    }
  }

  /// How many words may follow that of a step.
  private static func mostWords(after verb: String) -> Int {
    switch verb {
    case "start", "alarm", "stopwatch", "sequence", "change": return .max
    case "reboot": return 3
    case "rename", "extend", "snooze": return 2
    case "undo", "look", "sounds", "impatient", "anchor", "seen", "synchronized",
      "unsynchronized", "unknown", "away", "here", "clocks", "spans", "last", "steps",
      "corrections", "counters", "doubt", "entered", "armed", "alarms", "next":
      return 0
    default: return 1
    }
  }

  private func play(_ words: [String]) -> EngineError? {
    let (verb, rest) = (words[0], Array(words.dropFirst()))
    precondition(rest.count <= Self.mostWords(after: verb), "\(words) has too many words")
    switch verb {
    case "start", "alarm", "stopwatch", "sequence":
      let kinds = ["alarm": TimerKind.alarm, "stopwatch": .stopwatch, "sequence": .sequence]
      var spec = TimerSpec.plain
      spec.kind = kinds[verb] ?? .countdown
      spec = self.spec(spec, rest.dropFirst())
      return ask { engine, now throws(EngineError) in
        _ = try engine.start(rest[0], spec, replace: rest.last == "replace", at: now)
      }
    case "change":
      return ask { engine, now throws(EngineError) in
        let slot = try engine.require(rest[0])
        let spec = spec(engine.timerSpec(at: slot), rest.dropFirst())
        try engine.update(slot, to: spec, at: now)
      }
    case "rename":
      return ask { engine, now throws(EngineError) in
        try engine.rename(try engine.require(rest[0]), to: rest[1], at: now)
      }
    case "undo":
      return ask(as: nil) { engine, now throws(EngineError) in
        let undoing = try engine.undo(at: now)
        let names = undoing.slots.map { engine.name(at: $0) }.sorted()
        self.said.append((["restored"] + names).joined(separator: " "))
        if !undoing.kept.isEmpty { self.said.append("kept \(undoing.kept.joined(separator: " "))") }
      }
    case "by": person = rest[0] == "nobody" ? nil : rest[0]
    case "show", "passed", "ring", "progress", "clocks", "spans", "steps", "corrections", "armed",
      "alarms", "next", "last", "doubt", "counters", "entered", "same":
      said += answer(verb, rest.first ?? "").split(separator: "; ").map { String($0) }
    case "reboot":
      let spans = rest.map { usec($0) } + [0]
      stage.clocks.reboot(off: spans[0], uptime: spans[1], error: spans[2])
    case "boot":
      precondition(rest.isEmpty || rest == ["unsynchronized"], "\(words) is no start")
      #expect(stage.engine.violatedInvariant() == nil)
      let anchor = anchor ?? stage.now
      stage = stage.successor(
        from: anchor, downSince: seen?.monotonicUsec, synchronized: rest.isEmpty)
      (self.anchor, seen, count) = (nil, nil, 0)
    case "keep": kept = stored(rest[0])
    case "anchor": anchor = stage.now
    case "seen": seen = stage.now
    default:
      guard let operation = NightjarModel.Operation.allCases.first(where: { "\($0)" == verb })
      else {
        happen(verb, rest.first ?? "")
        return nil
      }
      return ask { engine, now throws(EngineError) in
        let slot = try engine.require(rest[0])
        try engine.perform(operation, slot, byUsec: rest.count > 1 ? usec(rest[1]) : 0, at: now)
      }
    }
    return nil
  }

  /// Something happens to the machine or to its user.
  private func happen(_ verb: String, _ word: String) {
    func note(_ body: (Background) -> Void) { stage.runIteration { _ in body(stage.background) } }
    switch verb {
    case "wait": stage.advance(usec(word))
    case "run": stage.run(usec(word))
    case "pass": stage.clocks.run(usec(word))
    case "doze": stage.clocks.sleep(usec(word))
    case "shift": stage.clocks.step(usec(word))
    case "look": stage.runIteration()
    case "sounds": saysSounds = true
    case "most": stage.engine.maximumTimers = Int(integer(word))
    case "usual": stage.engine.usualRing.insistUsec = usec(word)
    case "impatient": stage.background.clockWaitUsec = 0
    case "sleep": stage.sleep(usec(word))
    case "enter": stage.enter(named(word))
    case "leave": stage.leave(named(word))
    case "step":
      stage.clocks.step(usec(word))
      stage.runIteration()
    case "ends": calendar.endUsec = stage.now.realtimeUsec + usec(word)
    case "zone":
      calendar.zoneUsec = usec(word)
      stage.bus.post(.zoneChanged("Elsewhere"), at: stage.now)
      stage.runIteration()
    case "synchronized", "unsynchronized":
      note { $0.note(synchronized: verb == "synchronized", at: stage.now) }
    case "unknown": note { $0.note(presence: .unknown, at: stage.now) }
    case "away": note { $0.note(presence: .away, at: stage.now) }
    case "here": note { $0.note(presence: .here, at: stage.now) }
    default: preconditionFailure("\(verb) is no step")
    }
  }

  /// The present person asks for something. Returns the refusal.
  private func ask(_ body: (Engine, Moment) throws(EngineError) -> Void) -> EngineError? {
    ask(as: person, body)
  }

  private func ask(
    as person: String?, _ body: (Engine, Moment) throws(EngineError) -> Void
  ) -> EngineError? {
    var refusal: EngineError?
    let now = stage.now
    stage.runIteration { engine in
      do throws(EngineError) {
        try engine.asPerson(person) { () throws(EngineError) in try body(engine, now) }
      } catch { refusal = error }
    }
    return refusal
  }
}

// MARK: - Answers

/// A timer and its slot, without the number of its last event.
private struct Kept: Equatable {
  let slot: Int
  var stored: Engine.StoredTimer?
}

extension RulePlayer {
  private func answer(_ question: String, _ name: String) -> String {
    let (engine, background, now) = (stage.engine, stage.background, stage.now)
    switch question {
    case "clocks":
      let (awake, present) = (stage.reading(.awake), stage.reading(.present))
      return "elapsed \(seconds(stage.reading(.elapsed))), awake \(seconds(awake))"
        + (present == awake ? "" : ", present \(seconds(present))")
    case "spans":
      let open = background.open.map { ["\(causes($0)) is open"] } ?? []
      var (spans, begun): ([String], Int) = ([], 0)
      for event in stage.events {
        if case .leftBackground(let span) = event.kind { spans.append(text(span)) }
        if case .enteredBackground = event.kind { begun += 1 }
      }
      spans += open
      if begun != spans.count { spans.append("\(begun) begun") }
      return spans.isEmpty ? "no span" : spans.joined(separator: "; ")
    case "last": return background.last.map(text) ?? "no span"
    case "steps":
      let steps = stage.steps.map(seconds).joined(separator: " ")
      return steps.isEmpty ? "no step" : "steps \(steps)"
    case "corrections":
      let corrections = stage.corrections.map(seconds).joined(separator: " ")
      return corrections.isEmpty ? "no correction" : "corrections \(corrections)"
    case "armed":
      let wake = engine.wake
      let times = times(wake.boottimeUsec, wake.monotonicUsec, wake.realtimeUsec)
      return "armed for \(times ?? "nothing")"
    case "alarms":
      let (boottime, realtime) = engine.alarms
      return times(boottime, nil, realtime).map { "alarms \($0)" } ?? "no alarm"
    case "doubt":
      let end = background.clockWaitEnd(at: now).map { "until boottime \(seconds($0))" }
      return "\(background.clock.isOpen ? "doubt" : "no doubt"), \(end ?? "no wait")"
    case "counters":
      let spans = stage.events.compactMap { event -> String? in
        switch event.kind {
        case .enteredBackground(let span), .leftBackground(let span):
          "\(span.id) at awake \(seconds(event.counters.awakeUsec))"
        default: nil
        }
      }
      return spans.joined(separator: "; ")
    case "entered": return "entered at awake \(seconds(background.enteredAwakeUsec))"
    case "same": return "\(name) is \(stored(name) == kept ? "as it was" : "another")"
    case "next":
      guard let next = engine.next(at: now) else { return "next nothing" }
      return "next \(engine.name(at: next.slot)) \(seconds(next.realtimeUsec - now.realtimeUsec))"
    default: break
    }
    guard let slot = engine.slot(named: name) else { return "\(name) is not there" }
    let view = engine.view(slot, at: now)
    if question == "progress" { return "\(name) at \(view.progress)" }
    if question == "passed" {
      let instants = engine.passedOver(slot, at: now).map(Stage.time).joined(separator: " ")
      return "\(name) passes over \(instants.isEmpty ? "nothing" : instants)"
    }
    if question == "ring" {
      guard let ring = view.timer.ring, let ago = view.ringAgoUsec else {
        return "\(name) has no ring"
      }
      let state = ring.isSounding ? "sounding" : ring.isSnoozed ? "snoozed" : "quiet"
      return "\(name) ring \(ring.number) \(state), \(seconds(ago)) ago"
        + (ring.insisted > 0 ? ", insisted \(ring.insisted)" : "")
        + (view.ringLeftUsec.map { ", \(seconds($0)) left" } ?? "")
    }
    var parts = ["\(name) \(view.timer.state.name)"]
    if view.timer.spec.kind == .stopwatch {
      parts.append("\(seconds(view.elapsedUsec)) measured")
      let laps = view.timer.laps.map(seconds).joined(separator: " ")
      if !laps.isEmpty { parts.append("laps \(laps)") }
    } else if view.timer.state == .running || view.timer.state == .paused {
      parts.append("\(seconds(view.remainingUsec)) left")
    }
    if let band = view.band { parts.append("in \(band.name)") }
    if let message = view.timer.attachments?.message, !message.isEmpty {
      parts.append("says \(message)")
    }
    if view.isAway { parts.append("away") }
    if view.waitsForClock { parts.append("waits for the clock") }
    // What does not wait for the clock is not kept in the queue of what does.
    if engine.isWaitingForClock(slot), !view.waitsForClock { parts.append("kept") }
    return parts.joined(separator: ", ")
  }

  /// How far off the readings of three clocks are; nil: there is none.
  private func times(_ boottime: Int64?, _ monotonic: Int64?, _ realtime: Int64?) -> String? {
    let now = stage.now
    let times = [
      boottime.map { "boottime \(seconds($0 - now.boottimeUsec))" },
      monotonic.map { "monotonic \(seconds($0 - now.monotonicUsec))" },
      realtime.map { "realtime \(seconds($0 - now.realtimeUsec))" },
    ].compactMap { $0 }
    return times.isEmpty ? nil : times.joined(separator: ", ")
  }

  private func stored(_ name: String) -> Kept? {
    guard let slot = stage.engine.slot(named: name) else { return nil }
    var kept = Kept(slot: slot, stored: stage.engine.stored(slot))
    kept.stored?.timer.lastEvent = 0
    return kept
  }

  private static func reason(_ refusal: EngineError) -> String {
    switch refusal {
    case .nothingToUndo(let why): "nothing to undo, \(why)".filter { $0 != "\"" }
    case .problem(let problem): "\(problem.part.rawValue): \(problem.reason)"
    case .invalidTransition(let state, let operation): "\(operation) while \(state.name)"
    default: "\(refusal)"
    }
  }

  private func text(_ span: Span) -> String {
    "\(causes(span)) from \(Stage.time(span.entered.realtimeUsec))"
      + " for \(seconds(span.elapsedUsec))\(span.estimated ? " estimated" : "")"
  }

  private func causes(_ span: Span) -> String {
    "\(span.id) \(span.causes.map { "\($0.name)" }.joined(separator: "+"))"
  }
}

// MARK: - Words

extension RulePlayer {
  /// A specification with changes.
  private func spec(_ base: TimerSpec, _ words: some Sequence<String>) -> TimerSpec {
    var spec = base
    var course: (forUsec: Int64?, insistUsec: Int64?) = (nil, nil)
    for word in words {
      let parts = word.split(separator: "=").map(String.init)
      let value = parts.count > 1 ? parts[1] : ""
      switch parts[0] {
      case "repeat": spec.repeats = true
      case "replace": break
      case "wakes": spec.wakes = true
      case "ringFor": course.forUsec = usec(value)
      case "insist": course.insistUsec = usec(value)
      case "message": spec.attachments.message = value
      case "in": spec.atUsec = stage.now.realtimeUsec + usec(value)
      case "every": spec.schedule = Schedule(expression: "\(usec(value))", zone: "")
      case "zone": spec.schedule?.zone = value
      case "rounds": spec.rounds = integer(value)
      case "longEvery": spec.longEvery = integer(value)
      case "late":
        spec.late =
          value == "skip" ? .skip : value == "fire" ? .fire : .fireWithin(usec: usec(value))
      case "missed": spec.missed = named(value)
      case "afterAway": spec.afterAway = named(value)
      case "afterSleep": spec.afterSleep = named(value)
      case "bands": spec.bands = Self.bands(value)
      case "steps": spec.steps = value.split(separator: "+").map { Self.step($0) }
      case let word:
        let clock = Timeline.allCases.first { "\($0)" == word }
        if let clock { spec.clock = clock } else { spec.durationUsec = usec(word) }
      }
    }
    if course.forUsec != nil || course.insistUsec != nil {
      spec.attachments.ring = EncodedRing(
        publicJSON: Array("{}".utf8), forUsec: course.forUsec, insistUsec: course.insistUsec)
    }
    return spec
  }

  /// `warn:10s+urgent:5s:0-100`, where progress runs through a part of the whole, in percent.
  private static func bands(_ text: String) -> [Band] {
    text.split(separator: "+").map { text in
      let parts = text.split(separator: ":")
      let ends = parts.dropFirst(2).flatMap { $0.split(separator: "-").compactMap { Int64($0) } }
      return Band(
        name: String(parts[0]), remainingUsec: usec(parts[1]),
        progress: ends.isEmpty
          ? nil : ProgressRange(from: ends[0] * 10_000, to: ends[1] * 10_000))
    }
  }

  /// `rest:20s/50s:break:waits`, where the second length is that of a long round.
  private static func step(_ text: Substring) -> Step {
    let parts = text.split(separator: ":")
    let lengths = parts[1].split(separator: "/").map { usec($0) }
    return Step(
      name: String(parts[0]), durationUsec: lengths[0], waits: parts.contains("waits"),
      isBreak: parts.contains("break"), longUsec: lengths.count > 1 ? lengths[1] : nil)
  }
}

/// A time span such as `1h`, `1h-1us` or `-5min`.
func usec(_ text: some StringProtocol) -> Int64 {
  let units: [String: Int64] = [
    "us": 1, "ms": 1000, "s": second, "min": minute, "h": hour, "d": 24 * hour,
  ]
  var sum: Int64 = 0
  var term = ""
  func add() {
    let number = term.prefix { $0 == "-" || $0.isNumber }
    guard !term.isEmpty else { return }
    guard let value = Int64(number), let unit = units[String(term.dropFirst(number.count))] else {
      preconditionFailure("\(text) is no time span")
    }
    sum += value * unit
    term = ""
  }
  for character in text {
    if character == "-" || character == "+" { add() }
    if character != "+" { term.append(character) }
  }
  add()
  return sum
}
