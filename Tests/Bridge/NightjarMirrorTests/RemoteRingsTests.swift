import NightjarMirror
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// When one machine rings for another, according to the rules in DESIGN.
struct RemoteRingsTests {
  // MARK: - Where the owner does not ring

  @Test func `A machine rings for a sleeping owner exactly at the deadline`() {
    var scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60)
    #expect(scene.actions == [])
    #expect(scene.nextIn == 60)
    scene.wait(59)
    #expect(scene.actions == [])
    scene.wait(1)
    #expect(scene.rings == ["tea for laptop: asleep"])
    scene.wait(3600)
    #expect(scene.rings.count == 1)
  }

  @Test func `A machine rings at once for an owner that the broker has lost`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.owner(.offline)
    scene.wait(60)
    #expect(scene.rings == ["tea for laptop: offline"])
  }

  @Test func `A machine rings for an owner whose daemon does not answer, as for one offline`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.owner(.noDaemon, canRing: false)
    scene.wait(59)
    #expect(scene.rings == [] && scene.ringStatus == nil)
    scene.wait(1)
    #expect(scene.rings == ["tea for laptop: no daemon"] && scene.ringStatus == "on")
    scene.answer(.dismissed)
    #expect(scene.ended == 1 && scene.ringStatus == "dismissed")
  }

  @Test func `A ring that its owner published can be answered here while the owner is away`() {
    var scene = Scene()
    scene.owner(.online, active: "no")
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publishRang()
    #expect(scene.rings == ["tea for laptop: elsewhere"] && scene.ringStatus == nil)
    for state in [DevicePresence.State.asleep, .offline, .noDaemon] {
      scene.owner(state)
      #expect(scene.ringStatus == "on")
    }
  }

  @Test func `An owner that is online has 5 s to publish that it rang`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    #expect(scene.rings == [])
    #expect(scene.nextIn == 5)
    scene.wait(4)
    #expect(scene.rings == [])
    scene.wait(1)
    #expect(scene.rings == ["tea for laptop: silent"])
  }

  @Test func `No machine rings for an owner that rang in time where the user is`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publishRang()
    scene.wait(3600)
    #expect(scene.actions == [])
  }

  @Test func `A machine rings for a deadline that passed while it was disconnected after 5 s`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.cut()
    scene.wait(60)
    #expect(scene.rings == [])
    scene.wait(5)
    #expect(scene.rings == ["tea for laptop: silent"])
  }

  @Test func `A broker that has lost everything removes no timer of a sleeping owner`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.owner(.asleep)
    scene.cut()
    scene.reconnectToNothing()
    scene.wait(60)
    #expect(scene.rings == ["tea for laptop: offline"])
  }

  @Test func `After a sleep of its own a machine first learns what has happened`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.wait(0)
    scene.cut()
    scene.sleep(120)
    #expect(scene.rings == [])
    scene.publishRang(lateBy: 0)
    scene.reconnect()
    scene.wait(3600)
    #expect(scene.rings == [])
  }

  // MARK: - What it shows of them

  @Test func `A ring is shown as on where it rings, and as due elsewhere`() {
    for canRing in [true, false] {
      var scene = Scene()
      scene.rules.localState.canRing = canRing
      scene.publish(deadlineIn: 60)
      scene.owner(.asleep)
      scene.wait(59)
      #expect(scene.ringStatus == nil)
      scene.wait(1)
      #expect(scene.ringStatus == (canRing ? "on" : "due"))
      scene.answer(.snoozed(untilUsec: scene.ownersUsec + 30_000_000))
      #expect(scene.ringStatus == "snoozed")
      scene.wait(30)
      #expect(scene.ringStatus == (canRing ? "on" : "due"))
      scene.answer(.dismissed)
      #expect(scene.ringStatus == "dismissed")
    }
  }

  @Test func `No ring is shown as due for an awake owner, or for a clock that only the owner has`()
  {
    var scene = Scene()
    scene.rules.localState.canRing = false
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    #expect(scene.ringStatus == nil)
    scene.publish(deadlineIn: 60, ["clock": "awake"])
    scene.owner(.asleep)
    scene.wait(60)
    #expect(scene.ringStatus == nil)
  }

  @Test func `Nothing is shown as due by a clock that is not synchronised`() {
    var scene = Scene()
    scene.rules.localState.canRing = false
    scene.publish(deadlineIn: 60)
    scene.owner(.asleep, synchronized: false)
    scene.wait(60)
    #expect(scene.ringStatus == nil)
    // An answer is valid whatever the clock shows.
    scene.answer(.snoozed(untilUsec: scene.ownersUsec + 30_000_000))
    scene.wait(30)
    #expect(scene.ringStatus == "snoozed")
  }

  // MARK: - Where the person is

  @Test(
    arguments: [
      // Owner active, owner can ring, here active, a third machine active; rings.
      ("no", true, "yes", "no", true), ("no", true, "no", "no", true),
      ("no", true, "unknown", "unknown", true), ("no", true, "no", "yes", false),
      ("no", true, "yes", "yes", true), ("yes", false, "yes", "no", true),
      ("yes", false, "no", "no", true), ("yes", false, "no", "yes", false),
      ("yes", true, "yes", "yes", false), ("unknown", true, "yes", "no", false),
      ("unknown", false, "yes", "no", true),
    ] as [(String, Bool, String, String, Bool)])
  func `For an owner that rings unnoticed, the machine with the user rings, or every machine`(
    owner: String, canRing: Bool, here: String, third: String, rings: Bool
  ) {
    for rangFirst in [false, true] {
      var scene = Scene()
      scene.rules.localState.active = DeviceStatus.Active(rawValue: here)!
      scene.owner(.online, active: owner, canRing: canRing)
      scene.status(.online, active: third, canRing: true, of: "third")
      scene.publish(deadlineIn: 60)
      if rangFirst {
        scene.pass(60)
        scene.publishRang()
      } else {
        scene.wait(60)
        scene.publishRang()
      }
      scene.wait(0)
      #expect(
        scene.rings == (rings ? ["tea for laptop: elsewhere"] : []), "rang first: \(rangFirst)")
      // A dismissal at the owner ends the ring here.
      scene.publishDismissed()
      #expect(scene.ended == (rings ? 1 : 0))
    }
  }

  @Test(arguments: [
    ("yes", true, "unseen"), ("unknown", true, "unseen"), ("unknown", false, "third"),
    ("yes", false, "seen"),
  ])
  func `A ring that its owner finds unnoticed rings here, unless the user is elsewhere`(
    here: String, rings: Bool, other: String
  ) {
    var scene = Scene()
    scene.rules.localState.active = DeviceStatus.Active(rawValue: here)!
    scene.owner(.online, active: "yes")
    if other == "third" { scene.status(.online, active: "yes", canRing: true, of: "third") }
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publishRang()
    scene.wait(4)
    #expect(scene.actions == [])
    scene.publishUnnoticed(other == "seen" ? [.init("unheard", "missing")] : Self.nobody)
    #expect(scene.rings == (rings ? ["tea for laptop: elsewhere"] : []))
    // Once.
    scene.publishUnnoticed(Self.nobody)
    scene.wait(60)
    scene.publishDismissed()
    #expect(scene.rings.count == (rings || other == "seen" ? 1 : 0))
    #expect(scene.ended == scene.rings.count)
  }

  private static let nobody: [JSONValue.Member] = [
    .init("unseen", "paused"), .init("unheard", "missing"),
  ]

  @Test func `A machine that can neither show nor play a ring rings for no owner`() {
    var scene = Scene()
    scene.rules.localState.canRing = false
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60)
    scene.wait(61)
    #expect(scene.actions == [])
    // It checks again soon, until it can ring.
    #expect(scene.nextIn == 5)
    scene.rules.localState.canRing = true
    scene.wait(0)
    #expect(scene.rings.count == 1)
  }

  @Test func `A machine that cannot ring yet rings along with its owner as soon as it can`() {
    var scene = Scene()
    scene.rules.localState.canRing = false
    scene.owner(.online, canRing: false)
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publishRang()
    scene.wait(0)
    #expect(scene.actions == [] && scene.nextIn == 5)
    scene.rules.localState.canRing = true
    scene.wait(5)
    #expect(scene.rings == ["tea for laptop: elsewhere"])
    // Once, and not for rings that were answered meanwhile.
    scene.wait(60)
    scene.publishDismissed()
    #expect(scene.rings.count == 1 && scene.ended == 1)
  }

  // MARK: - What is not rung for

  @Test(arguments: ["awake", "present"])
  func `Time that passes only while the owner is awake does not pass elsewhere`(clock: String) {
    for state in [DevicePresence.State.asleep, .offline, .noDaemon, .online] {
      var scene = Scene()
      scene.owner(state)
      scene.publish(deadlineIn: 60, ["clock": .string(clock)])
      scene.wait(60)
      scene.wait(60)
      #expect(scene.actions == [], "\(state)")
    }
    // The owner is awake, and the user is not there.
    var scene = Scene()
    scene.owner(.online, active: "no")
    scene.publish(deadlineIn: 60, ["clock": .string(clock)])
    scene.wait(66)
    // Its value may be older than the owner's last sleep.
    #expect(scene.rings == [])
    scene.publishRang()
    #expect(scene.rings == ["tea for laptop: elsewhere"])
    // A snooze is in real time.
    scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: 1, ["clock": .string(clock)])
    scene.wait(1)
    scene.publishRang()
    scene.publishSnoozed(endIn: 60)
    scene.wait(59)
    #expect(scene.rings == [])
    scene.wait(1)
    #expect(scene.rings == ["tea for laptop: asleep"])
  }

  @Test func `A ring that is over 10 minutes late is listed as missed`() {
    var scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: -601)
    #expect(scene.rings == [] && scene.missed == ["tea"])
    scene.publish("egg", deadlineIn: -600)
    #expect(scene.rings == ["egg for laptop: asleep"])
    scene.wait(3600)
    #expect(scene.missed == ["tea"] && scene.rings.count == 1)
  }

  @Test(
    arguments: [
      (["late": "skip"], 10), (["fire_within_usec": 60_000_000], 60),
      (["fire_within_usec": 3_600_000_000], 600), ([:], 600),
    ] as [([String: JSONValue], Int64)])
  func `A timer's own late limit applies on other machines, too`(
    members: [String: JSONValue], limit: Int64
  ) {
    for (late, rings) in [(limit, 1), (limit + 1, 0)] {
      var scene = Scene()
      scene.owner(.asleep)
      scene.publish(deadlineIn: -late, members)
      #expect(scene.rings.count == rings && scene.missed.count == 1 - rings, "\(late) s late")
    }
  }

  @Test func `A stopwatch, a paused timer and a stopped one do not ring`() {
    for members in [
      ["kind": "stopwatch"], ["state": "paused"], ["away": true], ["waits_for_clock": true],
    ] as [[String: JSONValue]] {
      var scene = Scene()
      scene.owner(.asleep)
      scene.publish(deadlineIn: 60, members)
      scene.wait(61)
      #expect(scene.actions == [], "\(members)")
    }
  }

  @Test func `A skipped expiry does not ring`() {
    var scene = Scene()
    scene.owner(.asleep)
    let usec = scene.ownersUsec + 60_000_000
    scene.publish(deadlineIn: 60, ["skipped_usec": [.integer(usec)]])
    scene.wait(61)
    #expect(scene.actions == [])
  }

  // MARK: - Once

  @Test func `A repeating timer rings once, and waits for its owner`() {
    var scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60, ["repeat": ["rung": 1]])
    scene.wait(60)
    #expect(scene.rings.count == 1 && scene.allContinue)
    scene.wait(3540)
    #expect(scene.rings.count == 1)
    // The owner is back: it has rung late, and has a new deadline.
    scene.owner(.online)
    scene.publishRang(lateBy: 3540, next: 60, ["repeat": ["rung": 2]])
    scene.owner(.asleep)
    scene.wait(60)
    #expect(scene.rings.count == 2)
  }

  @Test func `A reconnection and a repeated value do not ring twice`() {
    var scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.cut()
    scene.repeatLast()
    scene.reconnect()
    scene.owner(.offline)
    scene.wait(60)
    #expect(scene.rings.count == 1 && scene.ended == 0)
    // The owner's clock was set, so the timer is due again.
    scene.publish(deadlineIn: 5, sameNumber: true)
    scene.wait(4)
    #expect(scene.rings.count == 1)
    scene.wait(1)
    #expect(scene.rings.count == 2)
  }

  @Test func `A timer that is paused or removed while it rings here is silent`() {
    for isRemoved in [false, true] {
      var scene = Scene()
      scene.owner(.offline)
      scene.publish(deadlineIn: 60)
      scene.wait(60)
      if isRemoved { scene.remove() } else { scene.publish(deadlineIn: 60, ["state": "paused"]) }
      #expect(scene.ended == 1)
    }
  }

  @Test func `The owner's own ring, late, does not end the ring here`() {
    var scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60)
    scene.wait(90)
    scene.owner(.online)
    scene.publishRang(lateBy: 30)
    #expect(scene.ended == 0)
    scene.publishDismissed()
    #expect(scene.ended == 1)
  }

  // MARK: - Answers

  @Test func `A ring that was dismissed on any machine does not begin, and ends`() {
    var scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.answer(.dismissed)
    #expect(scene.rings.count == 1 && scene.ended == 1)
    scene.wait(3600)
    #expect(scene.rings.count == 1)
    // Known before the deadline, and before the timer.
    for isBefore in [false, true] {
      scene = Scene()
      scene.owner(.asleep)
      if isBefore { scene.answer(.dismissed, dueIn: 60) }
      scene.publish(deadlineIn: 60)
      if !isBefore { scene.answer(.dismissed) }
      scene.wait(3600)
      #expect(scene.rings.count == 0)
    }
  }

  @Test func `A ring that was snoozed on any machine rings again while the owner sleeps`() {
    var scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.answer(.snoozed(untilUsec: scene.ownersUsec + 540_000_000))
    #expect(scene.rings.count == 1 && scene.ended == 1)
    scene.wait(539)
    #expect(scene.rings.count == 1)
    scene.wait(1)
    #expect(scene.rings.count == 2)
    scene.answer(.dismissed)
    #expect(scene.ended == 2)
    scene.wait(3600)
    #expect(scene.rings.count == 2)
  }

  @Test
  func
    `A ring that its owner has on, too, and that is snoozed here while the owner sleeps, rings again`()
  {
    var scene = Scene()
    scene.owner(.online, active: "no")
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publishRang()
    scene.owner(.asleep, active: "no")
    scene.answer(.snoozed(untilUsec: scene.ownersUsec + 300_000_000), expiry: 1)
    #expect(scene.rings.count == 1 && scene.ended == 1)
    scene.wait(299)
    #expect(scene.rings.count == 1)
    scene.wait(1)
    #expect(scene.rings.count == 2)
    scene.answer(.dismissed, expiry: 1)
    #expect(scene.ended == 2)
  }

  @Test func `A snooze that the owner has adopted rings at the owner's time`() {
    var scene = Scene()
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.answer(.snoozed(untilUsec: scene.ownersUsec + 540_000_000))
    scene.owner(.online)
    scene.publishRang(lateBy: 0)
    scene.publishSnoozed(endIn: 540)
    scene.wait(540)
    scene.publishSounds()
    scene.wait(60)
    #expect(scene.rings.count == 1)
  }

  // MARK: - Rings of several expiries

  @Test func `A snooze of the owner's own ends here while the owner sleeps`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publishRang()
    scene.publishSnoozed(endIn: 300)
    scene.owner(.asleep)
    scene.wait(299)
    #expect(scene.rings == [])
    scene.wait(1)
    #expect(scene.rings == ["tea for laptop: asleep"] && scene.lastKey == 1)
    scene.answer(.dismissed, expiry: 1)
    #expect(scene.ended == 1 && scene.ringStatus == "dismissed")
  }

  @Test func `An expiry that is due before the end of a snooze joins it, and an answer names it`() {
    for (next, keys) in [(200, [2]), (400, [1, 2])] as [(Int64, [Int64])] {
      var scene = Scene()
      scene.publish(deadlineIn: 60, ["repeat": ["rung": 1]])
      scene.wait(60)
      scene.publishRang(next: next)
      scene.publishSnoozed(endIn: 300)
      scene.owner(.asleep)
      scene.wait(299)
      #expect(scene.rings == [])
      scene.wait(1)
      scene.wait(100)
      #expect(scene.keys == keys)
      // The answer ends the ring of both.
      scene.answer(.dismissed, expiry: 2)
      #expect(scene.ended == keys.count && scene.ringStatus == "dismissed")
      scene.wait(3600)
      #expect(scene.keys == keys)
    }
  }

  @Test func `A change that leaves the deadline alone neither ends a ring nor begins one`() {
    var scene = Scene()
    scene.owner(.offline)
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publish(deadlineIn: 0, ["labels": ["a": "b"]])
    #expect(scene.rings.count == 1 && scene.ended == 0)
    scene.answer(.dismissed)
    scene.publish(deadlineIn: 0, ["labels": ["a": "c"]])
    scene.wait(60)
    #expect(scene.rings.count == 1 && scene.ended == 1)
    // The deadline moves: the answer was to another one.
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    #expect(scene.rings.count == 2)
  }

  @Test func `An insist and a ring that an undo brought back do not ring here`() {
    var scene = Scene()
    scene.owner(.online, active: "yes")
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publishRang()
    scene.owner(.online, active: "no")
    scene.wait(60)
    scene.publishSounds(insisted: 1)
    #expect(scene.rings == [])
    scene.publishDismissed()
    scene.publishAgain()
    scene.wait(60)
    #expect(scene.rings == [])
  }

  @Test func `An answer that was undone is none`() {
    var scene = Scene()
    scene.publish(deadlineIn: 60)
    scene.wait(60)
    scene.publishRang()
    scene.publishSnoozed(endIn: 300)
    scene.answer(.dismissed, expiry: 1)
    scene.owner(.asleep)
    #expect(scene.ringStatus == "dismissed")
    scene.wait(1)
    scene.answer(.undone, expiry: 1)
    #expect(scene.ringStatus == nil)
    scene.wait(299)
    #expect(scene.rings.count == 1)
  }

  // MARK: - Clocks

  @Test(arguments: [-1, 0, 1] as [Int64])
  func `Whichever of two synchronised clocks is ahead, a ring is not early, and up to 2 s late`(
    ahead: Int64
  ) {
    var scene = Scene(ahead: ahead)
    scene.owner(.asleep)
    scene.publish(deadlineIn: 60)
    scene.wait(60 + ahead)
    #expect(scene.rings == [])
    scene.wait(1)
    #expect(scene.rings.count == 1)
  }

  @Test(arguments: [DevicePresence.State.online, .asleep, .offline, .noDaemon])
  func `A machine rings for others only while its clock and the owner's are synchronised`(
    state: DevicePresence.State
  ) {
    for (owner, here) in [(true, false), (false, true), (false, false), (nil, true), (true, nil)] {
      var scene = Scene()
      scene.rules.localState.isSynchronized = here
      scene.owner(state, active: "no", synchronized: owner)
      scene.publish(deadlineIn: 60)
      scene.wait(120)
      #expect(scene.actions == [] && scene.nextIn == nil)
      // It rings late, as soon as both are synchronised.
      scene.rules.localState.isSynchronized = true
      scene.owner(state, active: "no")
      #expect(scene.rings.count == 1)
    }
  }

  @Test func `A ring that is published by a wrong clock neither rings nor is snoozed here`() {
    for isSynchronized in [false, true] {
      var scene = Scene()
      scene.owner(.online, active: "no", synchronized: isSynchronized)
      scene.publish(deadlineIn: 60)
      scene.pass(60)
      scene.publishRang()
      #expect(scene.rings.count == (isSynchronized ? 1 : 0))
      #expect(scene.canAnswer(snoozes: true) == isSynchronized)
      #expect(scene.canAnswer(snoozes: false))
    }
  }
}

/// This machine (`desktop`), and its view of `laptop`.
private struct Scene {
  var rules: RemoteRings
  private var mirror = Mirror(own: DeviceAddress(person: "alex", device: "desktop")!)
  private var now = Moment(
    realtimeUsec: 1_800_000_000_000_000, boottimeUsec: 1_000_000_000, monotonicUsec: 1_000_000_000,
    bootID: BootID(high: 0, low: 1))
  /// How far the owner's clock is ahead.
  private let aheadUsec: Int64
  private var seq: Int64 = 0
  /// The number of the next expiry, and its last published deadline.
  private var number: Int64 = 1
  private var deadlineUsec: Int64 = 0
  private var lastValue: [JSONValue.Member] = []
  private var last: Delivery?
  private(set) var actions: [RemoteRings.Action] = []
  private(set) var nextUsec: Int64?
  /// The state of the ring when clients were last shown the timer.
  private var shown: String?

  /// - Parameter seconds: how far the owner's clock is ahead. If it is as far behind as a
  ///   synchronised clock can be, this machine rings exactly at the owner's deadline.
  init(ahead seconds: Int64 = -RemoteRings.toleranceUsec / 1_000_000) {
    aheadUsec = seconds * 1_000_000
    rules = RemoteRings()
    rules.localState.canRing = true
    rules.localState.active = .yes
    rules.localState.isSynchronized = true
    mirror.connected()
    _ = mirror.markerArrived()
    rules.settled()
    owner(.online)
  }

  var ownersUsec: Int64 { now.realtimeUsec + aheadUsec }

  // MARK: What happened

  var rings: [String] {
    actions.compactMap {
      guard case .ring(let ring) = $0 else { return nil }
      let reason =
        switch ring.content.reason {
        case .asleep: "asleep"
        case .offline: "offline"
        case .noDaemon: "no daemon"
        case .silent: "silent"
        case .elsewhere: "elsewhere"
        }
      return "\(ring.content.name) for \(ring.content.device): \(reason)"
    }
  }
  var ringStatus: String? {
    switch rules.ringStatus("laptop", "tea", in: mirror, nowUsec: now.realtimeUsec)?.word {
    case .on: "on"
    case .due: "due"
    case .dismissed: "dismissed"
    case .snoozed: "snoozed"
    case nil: nil
    }
  }
  func canAnswer(snoozes: Bool) -> Bool {
    rules.openRing(
      "laptop", "tea", snoozes: snoozes, in: mirror, nowUsec: now.realtimeUsec) != nil
  }
  /// The numbers of the expiries in the rings here.
  var keys: [Int64] {
    actions.compactMap { if case .ring(let ring) = $0 { ring.key.expiry } else { nil } }
  }
  var lastKey: Int64? { keys.last }
  var allContinue: Bool {
    actions.allSatisfy { if case .ring(let ring) = $0 { ring.content.continues } else { true } }
  }
  var missed: [String] {
    actions.compactMap { if case .missed(let ring) = $0 { ring.content.name } else { nil } }
  }
  var ended: Int { actions.count { if case .end = $0 { true } else { false } } }
  /// In seconds.
  var nextIn: Int64? { nextUsec.map { ($0 - now.boottimeUsec) / 1_000_000 } }

  private mutating func take(_ outcome: RemoteRings.Outcome) {
    actions += outcome.actions
    nextUsec = outcome.nextUsec
    if !rules.takeUnshown().isEmpty { shown = ringStatus }
    #expect(shown == ringStatus, "clients are shown each new state of a ring")
  }

  // MARK: What happens

  /// Time passes, and the rules run.
  mutating func wait(_ seconds: Int64) {
    pass(seconds)
    take(rules.due(in: mirror, at: now))
  }

  mutating func pass(_ seconds: Int64) {
    now.realtimeUsec += seconds * 1_000_000
    now.boottimeUsec += seconds * 1_000_000
    now.monotonicUsec += seconds * 1_000_000
  }

  /// This machine sleeps, and wakes up without a connection.
  mutating func sleep(_ seconds: Int64) {
    pass(seconds)
    rules.woke()
    take(rules.due(in: mirror, at: now))
  }

  mutating func cut() {
    mirror.disconnected()
    rules.disconnected()
  }

  mutating func reconnect() {
    mirror.connected()
    repeatLast()
    owner(.online)
    for change in mirror.markerArrived() {
      guard case .timer(let owner, let name) = change else { continue }
      take(rules.changed(owner.device, name, in: mirror, at: now))
    }
    rules.settled()
    take(rules.due(in: mirror, at: now))
  }

  /// The broker is connected again, and has retained nothing.
  mutating func reconnectToNothing() {
    mirror.connected()
    for change in mirror.markerArrived() {
      guard case .timer(let owner, let name) = change else { continue }
      take(rules.changed(owner.device, name, in: mirror, at: now))
    }
    rules.settled()
    take(rules.due(in: mirror, at: now))
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

  mutating func repeatLast() {
    if let last { receive(last.topic, last.payload) }
  }

  mutating func owner(
    _ state: DevicePresence.State, active: String = "yes", canRing: Bool = true,
    synchronized: Bool? = true
  ) {
    status(state, active: active, canRing: canRing, synchronized: synchronized, of: "laptop")
  }

  mutating func status(
    _ state: DevicePresence.State, active: String, canRing: Bool, synchronized: Bool? = true,
    of device: String
  ) {
    let address = DeviceAddress(person: "alex", device: device)!
    let status = DeviceStatus(
      isSynchronized: synchronized, active: DeviceStatus.Active(rawValue: active)!,
      canRing: canRing)
    receive(.status(address), status.payload)
    receive(.presence(address), DevicePresence(state, sinceUsec: ownersUsec).payload)
  }

  /// The owner publishes a running timer.
  mutating func publish(
    _ name: String = "tea", deadlineIn seconds: Int64, _ members: [String: JSONValue] = [:],
    sameNumber: Bool = false
  ) {
    if !sameNumber { seq += 1 }
    var timer: [String: JSONValue] = [
      "id": 7, "name": .string(name), "kind": "countdown", "state": "running", "clock": "elapsed",
      "duration_usec": 60_000_000, "remaining_usec": .integer(seconds * 1_000_000),
      "deadline_usec": .integer(ownersUsec + seconds * 1_000_000),
      "started_usec": .integer(ownersUsec), "labels": [:], "data": [:],
    ]
    timer.merge(members) { $1 }
    timer["seq"] = .integer(seq)
    timer["next_expiry"] = .integer(number)
    deadlineUsec = ownersUsec + seconds * 1_000_000
    send(name, timer)
  }

  private mutating func send(_ name: String, _ timer: [String: JSONValue]) {
    lastValue = timer.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
    let value = TimerValue(
      timer: .object(lastValue), ledger: "0123456789abcdef", nowUsec: ownersUsec)!
    receive(.timer(laptop, name: name), value.payload)
  }

  private var laptop: DeviceAddress { DeviceAddress(person: "alex", device: "laptop")! }

  private mutating func change(_ members: [String: JSONValue?]) {
    seq += 1
    var timer = Dictionary(uniqueKeysWithValues: lastValue.map { ($0.key, $0.value) })
    timer["seq"] = .integer(seq)
    for (name, value) in members { timer[name] = value }
    send(timer["name"]?.stringValue ?? "", timer)
  }

  /// The timer rang at its owner, which publishes it now.
  mutating func publishRang(
    lateBy seconds: Int64 = 0, next: Int64? = nil, _ members: [String: JSONValue] = [:]
  ) {
    let rangUsec = deadlineUsec + seconds * 1_000_000
    var all: [String: JSONValue?] = [
      "ringing": "ringing",
      "open_ring": [
        "expiry": .integer(number), "due_usec": .integer(deadlineUsec), "expiries": 1,
        "first_due_usec": .integer(deadlineUsec), "rang_usec": .integer(rangUsec),
        "late_usec": .integer(seconds * 1_000_000), "ago_usec": .integer(ownersUsec - rangUsec),
      ],
    ]
    number += 1
    deadlineUsec = ownersUsec + (next ?? 0) * 1_000_000
    all["next_expiry"] = .integer(number)
    all["state"] = next == nil ? "over" : "running"
    all["deadline_usec"] = .some(next == nil ? nil : .integer(deadlineUsec))
    for (name, value) in members { all[name] = value }
    change(all)
  }

  private mutating func change(ring members: [JSONValue.Member], _ ringing: JSONValue) {
    let known = lastValue.first { $0.key == "open_ring" }?.value.objectValue ?? []
    let keys = Set(members.map(\.key))
    let rest = known.filter { !keys.contains($0.key) && $0.key != "until_usec" }
    change(["ringing": ringing, "open_ring": .object(rest + members)])
  }

  /// The owner found what its ring lacked.
  mutating func publishUnnoticed(_ lacks: [JSONValue.Member]) { change(ring: lacks, "ringing") }

  /// The ring was snoozed at its owner.
  mutating func publishSnoozed(endIn seconds: Int64) {
    change(
      ring: [.init("until_usec", .integer(ownersUsec + seconds * 1_000_000))], "snoozed")
  }

  /// The ring sounds anew at its owner.
  mutating func publishSounds(insisted: Int64? = nil) {
    var members: [JSONValue.Member] = [
      .init("rang_usec", .integer(ownersUsec)), .init("late_usec", 0), .init("ago_usec", 0),
    ]
    if let insisted { members.append(.init("insisted", .integer(insisted))) }
    change(ring: members, "ringing")
  }

  /// The owner publishes the last value again, with a new number.
  mutating func publishAgain() { change([:]) }

  /// The ring was dismissed at its owner, and the timer with it.
  mutating func publishDismissed() { remove() }

  mutating func remove() {
    seq += 1
    receive(.timer(laptop, name: "tea"), [])
  }

  /// A ring was answered on some machine; unless a number is given, the last published deadline.
  mutating func answer(
    _ how: RingAnswer.Kind, expiry: Int64? = nil, dueIn seconds: Int64? = nil
  ) {
    let key = RingKey(ledger: "0123456789abcdef", id: 7, expiry: expiry ?? number)!
    let open = lastValue.first { $0.key == "open_ring" }?.value
    let isOpen = open?["expiry"]?.integerValue == key.expiry
    let dueUsec =
      seconds.map { ownersUsec + $0 * 1_000_000 }
      ?? (isOpen ? open?["due_usec"]?.integerValue : nil) ?? deadlineUsec
    let answer = RingAnswer(
      how, dueUsec: dueUsec, device: "third", sentUsec: now.realtimeUsec)
    receive(.ring(person: "alex", key), answer.payload)
  }
}
