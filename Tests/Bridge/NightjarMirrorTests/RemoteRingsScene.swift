import NightjarMirror
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// This machine (`desktop`), and its view of the timers of `laptop`, as a script in words plays it.
///
/// The script has steps with commas between them, and all lengths are in seconds. `tea in 60` is a
/// value that the owner publishes, and `rang`, `snoozed 300`, `sounds` and `gone` are its changes;
/// `dismiss`, `snooze 300` and `undo` are answers that a third machine gives: to the next expiry or
/// that behind `of`, at its known deadline or that behind `due`. `pass` is time in which the rules
/// do not run, as they do in `wait`.
struct RemoteRingsScene {
  private var rules = RemoteRings()
  private var mirror = Mirror(own: DeviceAddress(person: "alex", device: "desktop")!)
  private let laptop = DeviceAddress(person: "alex", device: "laptop")!
  private var now = Moment(
    realtimeUsec: 1_800_000_000_000_000, boottimeUsec: 0, monotonicUsec: 0,
    bootID: BootID(high: 0, low: 1))
  /// How far the owner's clock is ahead.
  private let aheadUsec: Int64
  private var seq: Int64 = 0
  /// The number of the next expiry, and its last published deadline.
  private var number: Int64 = 1
  private var deadlineUsec: Int64 = 0
  private var lastValue: [String: JSONValue] = [:]
  private var last: Delivery?
  private var nextUsec: Int64?
  /// The state of the ring when clients were last shown the timer.
  private var shown: String?
  /// What happened here, each line with its second.
  private(set) var log: [String] = []

  /// - Parameter seconds: how far the owner's clock is ahead. If it is as far behind as a
  ///   synchronised clock can be, this machine rings exactly at the owner's deadline.
  init(ahead seconds: Int64 = -RemoteRings.toleranceUsec / second) {
    aheadUsec = seconds * second
    rules.localState.canRing = true
    rules.localState.active = .yes
    rules.localState.isSynchronized = true
    mirror.connected()
    _ = mirror.markerArrived()
    rules.settled()
    play("owner online")
  }

  // MARK: - What happened

  private mutating func note(_ what: String) { log.append("\(now.boottimeUsec / second) \(what)") }

  private mutating func take(_ outcome: RemoteRings.Outcome) {
    for action in outcome.actions {
      switch action {
      case .ring(let ring):
        #expect(ring.content.device == "laptop")
        let end = ring.content.continues ? ", and runs on" : ""
        let reason = "\(ring.content.reason)".prefix { $0 != "(" }
        note("\(ring.content.name) \(ring.key.expiry) rings: \(reason)\(end)")
      case .end(let key): note("\(key.expiry) ends")
      case .missed(let ring): note("\(ring.content.name) is missed")
      }
    }
    nextUsec = outcome.nextUsec
    if !rules.takeUnshown().isEmpty { shown = ringStatus }
    #expect(shown == ringStatus, "clients are shown each new state of a ring")
  }

  private var ringStatus: String? {
    switch rules.ringStatus("laptop", "tea", in: mirror, nowUsec: now.realtimeUsec)?.word {
    case .on: "on"
    case .due: "due"
    case .dismissed: "dismissed"
    case .snoozed: "snoozed"
    case nil: nil
    }
  }

  /// Whether the rules ask to run at some time.
  var isWaiting: Bool { nextUsec != nil }

  func canAnswer(snoozes: Bool) -> Bool {
    rules.openRing(
      "laptop", "tea", snoozes: snoozes, in: mirror, nowUsec: now.realtimeUsec) != nil
  }

  // MARK: - What happens

  mutating func play(_ script: String) {
    for step in script.split(separator: ", ") { play(step.split(separator: " ").map(String.init)) }
  }

  /// Traps on words that the step would pass over.
  private static func check(_ words: [String]) {
    let hasLength = ["wait", "pass", "sleep", "snoozed", "snooze"].contains(words[0])
    precondition(!hasLength || words.count > 1 && Int64(words[1]) != nil, "\(words): how long?")
    let rest = words.dropFirst(hasLength ? 2 : 1)
    let isKnown =
      switch words[0] {
      // They trap themselves.
      case "tea", "egg", "here", "owner", "third": true
      case "lacks": rest.allSatisfy { ["unseen", "unheard"].contains($0) }
      case "rang": areNumbers(rest, behind: ["late", "next"])
      case "dismiss", "snooze", "undo": areNumbers(rest, behind: ["of", "due"])
      case "sounds": rest.count < 2 && rest.allSatisfy { Int64($0) != nil }
      case "reconnect": rest.isEmpty || rest == ["to", "nothing"]
      default: rest.isEmpty
      }
    precondition(isKnown, "\(words) has an unknown word")
  }

  /// Whether they are some of the known words, each with a number behind it.
  private static func areNumbers(_ words: ArraySlice<String>, behind known: Set<String>) -> Bool {
    guard let word = words.first else { return true }
    let rest = words.dropFirst()
    guard known.contains(word), let number = rest.first, Int64(number) != nil else { return false }
    return areNumbers(rest.dropFirst(), behind: known)
  }

  private mutating func play(_ words: [String]) {
    Self.check(words)
    let number = words.dropFirst().first.flatMap { Int64($0) } ?? 0
    switch words[0] {
    case "wait": wait(number)
    case "pass": pass(usec: number * second)
    case "sleep":
      // This machine wakes up without a connection.
      pass(usec: number * second)
      rules.woke()
      take(rules.due(in: mirror, at: now))
    case "cut":
      mirror.disconnected()
      rules.disconnected()
    case "reconnect": reconnect(toNothing: words.count > 1)
    case "here": setHere(words.dropFirst())
    case "owner": publishStatus(of: "laptop", words.dropFirst())
    case "third": publishStatus(of: "third", words.dropFirst())
    case "tea" where words[1] == "again": repeatLast()
    case "tea", "egg": publish(words[0], deadlineIn: Int64(words[2])!, words.dropFirst(3))
    case "rang": publishRang(words)
    case "lacks":
      let lacks: [String: JSONValue] = ["unseen": "paused", "unheard": "missing"]
      publishRing(lacks.filter { words.contains($0.key) })
    case "snoozed":
      publishRing(["until_usec": .integer(ownersUsec + number * second)], ringing: "snoozed")
    case "sounds":
      let sound: [String: JSONValue] = [
        "rang_usec": .integer(ownersUsec), "late_usec": 0, "ago_usec": 0,
      ]
      publishRing(number > 0 ? sound.merging(["insisted": .integer(number)]) { $1 } : sound)
    case "changed": publish(changes: [:])
    case "gone":
      seq += 1
      receive(.timer(laptop, name: "tea"), [])
    case "dismiss": answer(.dismissed, words)
    case "snooze": answer(.snoozed(untilUsec: ownersUsec + number * second), words)
    case "undo": answer(.undone, words)
    case "shown": note(ringStatus.map { "shown as \($0)" } ?? "not shown")
    default: Issue.record("'\(words)' is no step")
    }
  }

  private static func number(behind word: String, in words: [String]) -> Int64? {
    words.firstIndex(of: word).flatMap { Int64(words[$0 + 1]) }
  }

  private var ownersUsec: Int64 { now.realtimeUsec + aheadUsec }

  private mutating func pass(usec: Int64) {
    now.realtimeUsec += usec
    now.boottimeUsec += usec
    now.monotonicUsec += usec
  }

  /// The rules run whenever they ask for it, and in the end.
  private mutating func wait(_ seconds: Int64) {
    let endUsec = now.boottimeUsec + seconds * second
    while let nextUsec, nextUsec > now.boottimeUsec, nextUsec < endUsec {
      pass(usec: nextUsec - now.boottimeUsec)
      take(rules.due(in: mirror, at: now))
    }
    pass(usec: endUsec - now.boottimeUsec)
    take(rules.due(in: mirror, at: now))
  }

  /// - Parameter toNothing: the broker has retained nothing.
  private mutating func reconnect(toNothing: Bool) {
    mirror.connected()
    if !toNothing {
      repeatLast()
      play("owner online")
    }
    for case .timer(let owner, let name) in mirror.markerArrived() {
      take(rules.changed(owner.device, name, in: mirror, at: now))
    }
    rules.settled()
    take(rules.due(in: mirror, at: now))
  }

  private mutating func repeatLast() {
    if let last { receive(last.topic, last.payload) }
  }

  private mutating func receive(_ topic: Topic, _ payload: [UInt8]) {
    let delivery = Delivery(topic, payload, isRetained: false)
    if case .timer = topic { last = delivery }
    for change in mirror.received(delivery, nowUsec: now.realtimeUsec) {
      switch change {
      case .timer(let owner, let name):
        let outcome = rules.changed(owner.device, name, in: mirror, at: now)
        // Clients are shown a timer that has changed.
        shown = ringStatus
        take(outcome)
      case .ring(let key): take(rules.answered(key, in: mirror, at: now))
      case .status: take(rules.due(in: mirror, at: now))
      case .event, .gap: break
      }
    }
  }

  // MARK: - Machines

  private mutating func setHere(_ words: ArraySlice<String>) {
    for word in words {
      switch word {
      case "able", "unable": rules.localState.canRing = word == "able"
      case "synchronised": rules.localState.isSynchronized = true
      case "unsynchronised": rules.localState.isSynchronized = false
      case "unsure": rules.localState.isSynchronized = nil
      default: rules.localState.active = DeviceStatus.Active(rawValue: word)!
      }
    }
  }

  /// Unless the words say otherwise, the user is there, the clock is synchronised and the machine
  /// can ring.
  private mutating func publishStatus(of device: String, _ words: ArraySlice<String>) {
    var state = DevicePresence.State.online
    var status = DeviceStatus(isSynchronized: true, active: .yes, canRing: true)
    for word in words {
      switch word {
      case "unable": status.canRing = false
      case "unsynchronised": status.isSynchronized = false
      case "unsure": status.isSynchronized = nil
      case "daemonless": state = .noDaemon
      default:
        if let active = DeviceStatus.Active(rawValue: word) {
          status.active = active
        } else {
          state = DevicePresence.State(rawValue: word)!
        }
      }
    }
    let address = DeviceAddress(person: "alex", device: device)!
    receive(.status(address), status.payload)
    receive(.presence(address), DevicePresence(state, sinceUsec: ownersUsec).payload)
  }

  // MARK: - What the owner publishes

  private static let words: [String: [String: JSONValue]] = [
    "awake": ["clock": "awake"], "present": ["clock": "present"], "paused": ["state": "paused"],
    "stopwatch": ["kind": "stopwatch"], "away": ["away": true],
    "waiting": ["waits_for_clock": true], "repeated": ["repeat": ["rung": 1]],
    "unlate": ["late": "skip"], "red": ["labels": ["colour": "red"]],
  ]

  /// A running timer. `as before` keeps the number of the last value, `skipped` skips the expiry,
  /// and a number is how late it may ring.
  private mutating func publish(
    _ name: String, deadlineIn seconds: Int64, _ words: ArraySlice<String>
  ) {
    deadlineUsec = ownersUsec + seconds * second
    if !words.contains("before") { seq += 1 }
    var members: [String: JSONValue] = [
      "state": "running", "remaining_usec": .integer(seconds * second),
      "deadline_usec": .integer(deadlineUsec),
    ]
    for word in words where word != "as" && word != "before" {
      if word == "skipped" {
        members["skipped_usec"] = [.integer(deadlineUsec)]
      } else if let seconds = Int64(word) {
        members["fire_within_usec"] = .integer(seconds * second)
      } else {
        members.merge(Self.words[word]!) { $1 }
      }
    }
    send(name, members)
  }

  private mutating func send(_ name: String, _ members: [String: JSONValue]) {
    lastValue = members
    let timer = JSONValue.timer(name, seq: seq, next: number, members)
    let value = TimerValue(timer: timer, ledger: "0123456789abcdef", nowUsec: ownersUsec)!
    receive(.timer(laptop, name: name), value.payload)
  }

  private mutating func publish(changes: [String: JSONValue]) {
    seq += 1
    send("tea", lastValue.merging(changes) { $1 })
  }

  /// The timer rang at its owner, `late` by some time, and has a `next` deadline or none.
  private mutating func publishRang(_ words: [String]) {
    let lateUsec = (Self.number(behind: "late", in: words) ?? 0) * second
    let ring = JSONValue.openRing(
      number, dueUsec: deadlineUsec, rangUsec: deadlineUsec + lateUsec, lateUsec: lateUsec,
      agoUsec: ownersUsec - deadlineUsec - lateUsec)
    number += 1
    let next = Self.number(behind: "next", in: words)
    deadlineUsec = ownersUsec + (next ?? 0) * second
    publish(changes: [
      "ringing": "ringing", "open_ring": ring, "state": next == nil ? "over" : "running",
      "deadline_usec": next == nil ? .null : .integer(deadlineUsec),
    ])
  }

  /// The owner's open ring has changed.
  private mutating func publishRing(_ members: [String: JSONValue], ringing: JSONValue = "ringing")
  {
    let ring = (lastValue["open_ring"]?.objectValue ?? []).filter {
      members[$0.key] == nil && $0.key != "until_usec"
    }
    let new = members.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
    publish(changes: ["ringing": ringing, "open_ring": .object(ring + new)])
  }

  private mutating func answer(_ kind: RingAnswer.Kind, _ words: [String]) {
    let expiry = Self.number(behind: "of", in: words) ?? number
    let key = RingKey(ledger: "0123456789abcdef", id: 7, expiry: expiry)!
    let open = lastValue["open_ring"]
    let isOpen = open?["expiry"]?.integerValue == expiry
    let openUsec = isOpen ? open?["due_usec"]?.integerValue : nil
    let dueUsec = Self.number(behind: "due", in: words).map { ownersUsec + $0 * second }
    let answer = RingAnswer(
      kind, dueUsec: dueUsec ?? openUsec ?? deadlineUsec, device: "third",
      sentUsec: now.realtimeUsec)
    receive(.ring(person: "alex", key), answer.payload)
  }
}
