internal import NightjarDesktop
internal import NightjarMirror
internal import NightjarModel
internal import NightjarParameters
internal import NightjarSystem
internal import NightjarTrust

/// Rings on this machine for timers of the user's other machines, and takes the user's answers.
final class RemoteRinging {
  private static let mostMissed = 16
  /// The most answers in the file.
  private static let mostGiven = 128

  private let loop: EventLoop
  private let device: String
  private unowned let bridge: Bridge
  private var notifier: RemoteNotifier!
  private var timer: TimerSource!
  private var rules = RemoteRings()
  /// The rings that are in progress on this machine, by the number that the notifier uses for them.
  private var rings: [Int: RemoteRings.Ring] = [:]
  private var lastNumber = 0
  /// The time for which the timer is armed, on CLOCK_BOOTTIME; nil: it is not armed.
  private var nextUsec: Int64?
  /// The rings that this machine noticed too late to ring, the latest one at the end.
  private(set) var missed: [RemoteRing] = []
  /// The answers that the user has given here, the latest one at the end. The broker may not have
  /// them yet, so they survive the end of this process in the file.
  private var given: [GivenAnswer] = []
  private let file: StateFile<GivenAnswer>

  /// - Parameters:
  ///   - device: the name of this machine.
  ///   - desktop: the settings of popups and sounds.
  init(
    loop: EventLoop, device: String, desktop: DesktopSettings, note: Note,
    file: StateFile<GivenAnswer>, bridge: Bridge
  ) throws(SystemError) {
    self.loop = loop
    self.device = device
    self.file = file
    self.bridge = bridge
    let calendar = ZoneCalendar { Log.write(.warning, $0) }
    timer = try loop.timer(on: .boottime) { [weak self] in
      // The user may have come or left, which changes whether the user would notice a ring on this
      // machine.
      self?.bridge.link.askStatus()
      self?.look()
    }
    notifier = try RemoteNotifier(
      loop: loop, wallTime: calendar.wallTime, settings: { desktop }, note: note
    ) { [weak self] in self?.answered($0, $1) }
  }

  /// Takes the answers from the file.
  func start() {
    given = file.read()
    for given in given { bridge.apply(bridge.mirror.take(given.answer, to: given.key)) }
  }

  /// Ends all rings, because the process exits.
  func end() { notifier.end() }

  // MARK: - Changes

  /// Records that the mirror is complete.
  func settled() {
    rules.settled()
    look()
  }

  /// Records that the connection to the broker is lost.
  func disconnected() { rules.disconnected() }

  /// Records that this machine was asleep. There is no new connection yet.
  func woke() {
    rules.woke()
    look()
  }

  /// The facts about this machine, as the daemon last reported them.
  var localState: RemoteRings.LocalState { rules.localState }

  /// Stores new facts about this machine, and checks which rings are due.
  func localStateChanged(_ localState: RemoteRings.LocalState) {
    rules.localState = localState
    look()
  }

  func changed(_ change: MirrorChange) {
    switch change {
    case .timer(let owner, let name):
      carryOut(rules.changed(owner.device, name, in: bridge.mirror, at: Clocks.read()))
    case .ring(let key): carryOut(rules.answered(key, in: bridge.mirror, at: Clocks.read()))
    case .status: look()
    case .event, .gap: break
    }
  }

  /// Checks which rings are due. Call this after a change of a status or of the clock; the timer
  /// calls it at the armed time.
  func look() {
    timer.arm(atUsec: nil)
    nextUsec = nil
    carryOut(rules.due(in: bridge.mirror, at: Clocks.read()))
  }

  private func carryOut(_ outcome: RemoteRings.Outcome) {
    for action in outcome.actions {
      switch action {
      case .ring(let ring): begin(ring)
      case .end(let key): end(key)
      case .missed(let ring):
        missed = (missed + [ring.content]).suffix(Self.mostMissed)
        Log.write(.notice, "a ring of \(ring.content.device) was missed: \(ring.content.name)")
      }
    }
    for (device, name) in rules.takeUnshown() { bridge.sockets.timerChanged(name, on: device) }
    guard let usec = outcome.nextUsec, nextUsec.map({ usec < $0 }) ?? true else { return }
    nextUsec = usec
    timer.arm(atUsec: usec)
  }

  private func begin(_ ring: RemoteRings.Ring) {
    lastNumber += 1
    rings[lastNumber] = ring
    notifier.ring(lastNumber, ring.content)
    let (device, name) = (ring.content.device, ring.content.name)
    Log.write(.info, "rings for \(device), which \(ring.content.reason.words): \(name)")
  }

  private func end(_ key: RingKey) {
    for (number, ring) in rings where ring.key == key {
      rings[number] = nil
      notifier.end(number)
    }
  }

  /// The state of a ring that its owner has not published; nil: there is none.
  func ringStatus(of name: String, on device: String) -> RingStatus? {
    rules.ringStatus(device, name, in: bridge.mirror, nowUsec: loop.now.realtimeUsec)
  }

  /// The ring of a timer that the user can answer here; nil: there is none.
  func openRing(
    of name: String, on device: String, snoozes: Bool
  ) -> (key: RingKey, dueUsec: Int64)? {
    rules.openRing(
      device, name, snoozes: snoozes, in: bridge.mirror, nowUsec: loop.now.realtimeUsec)
  }

  // MARK: - Answers of the user

  /// Answers a ring. When this returns, the answer is on disk. If it throws, the answer counts
  /// nevertheless, and is lost if this process is killed before the broker has the answer.
  ///
  /// - Parameters:
  ///   - snoozeUsec: how long until the timer rings again, in microseconds; nil: dismiss the ring.
  ///   - undoID: the `undo_id` of a person's answer; nil: a program gave it.
  func answer(
    _ ring: (key: RingKey, dueUsec: Int64), snoozeUsec: Int64?, undoID: String?
  ) throws {
    let now = Clocks.read().realtimeUsec
    let answer = RingAnswer(
      snoozeUsec.map { .snoozed(untilUsec: now + $0) } ?? .dismissed, dueUsec: ring.dueUsec,
      device: device, sentUsec: now, undoID: undoID)
    // In a later iteration, because the answer changes the rules, and `carryOut` may still be
    // carrying out their actions.
    loop.later { [bridge] in bridge.apply(bridge.mirror.take(answer, to: ring.key)) }
    given = given.filter { $0.key != ring.key && now - $0.answer.sentUsec < Mirror.answerUsec }
    given = given.suffix(Self.mostGiven - 1) + [GivenAnswer(key: ring.key, answer: answer)]
    try file.write(given)
  }

  private func answered(_ number: Int, _ how: RemoteNotifier.Answer) {
    guard let ring = rings[number] else { return }
    let snoozeUsec: Int64? = if case .snoozed(let usec) = how { usec } else { nil }
    do {
      try answer(
        (ring.key, ring.dueUsec), snoozeUsec: snoozeUsec, undoID: "popup \(loop.now.realtimeUsec)")
    } catch {
      Log.write(.error, "the answer to \(ring.content.name) is not on disk: \(error)")
    }
  }
}

extension RemoteRing.Reason {
  fileprivate var words: String {
    switch self {
    case .asleep: "is asleep"
    case .offline: "is offline"
    case .noDaemon: "has no daemon that answers"
    case .silent: "did not say that it rang"
    case .elsewhere: "rings, and may not be noticed there"
    }
  }
}
