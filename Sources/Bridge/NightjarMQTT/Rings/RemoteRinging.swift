internal import NightjarDesktop
internal import NightjarMirror
internal import NightjarModel
internal import NightjarParameters
internal import NightjarSystem
internal import NightjarTrust

/// Rings on this machine for timers of the user's other machines, and takes the user's answers.
final class RemoteRinging {
  private static let mostMissed = 16

  private let loop: EventLoop
  private let device: String
  private unowned let source: any BridgeSource
  private let onChange: (MirrorChange) -> Void
  private let onAnswer: (RingKey, RingAnswer) -> Void
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

  /// - Parameters:
  ///   - device: the name of this machine.
  ///   - source: provides the mirror.
  ///   - desktop: the settings of popups and sounds.
  ///   - askStatus: asks the daemon for the facts about this machine. When the reply arrives, the
  ///     bridge calls `isHere`.
  ///   - onChange: called when a ring has begun or ended on this machine, because its timer is then
  ///     shown differently.
  ///   - onAnswer: called when the user has answered a ring on this machine.
  init(
    loop: EventLoop, device: String, desktop: DesktopSettings, note: Note,
    source: any BridgeSource,
    askStatus: @escaping () -> Void, onChange: @escaping (MirrorChange) -> Void,
    onAnswer: @escaping (RingKey, RingAnswer) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.device = device
    self.source = source
    self.onChange = onChange
    self.onAnswer = onAnswer
    let calendar = ZoneCalendar { Log.write(.warning, $0) }
    timer = try loop.timer(on: .boottime) { [weak self] in
      // The user may have come or left, which changes whether the user would notice a ring on this
      // machine.
      askStatus()
      self?.look()
    }
    notifier = try RemoteNotifier(
      loop: loop, wallTime: calendar.wallTime, settings: { desktop }, note: note
    ) { [weak self] in self?.answered($0, $1) }
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

  /// Stores new facts about this machine, and checks which rings are due.
  func localStateChanged(_ localState: RemoteRings.LocalState) {
    guard rules.localState != localState else { return }
    rules.localState = localState
    look()
  }

  func changed(_ change: MirrorChange) {
    switch change {
    case .timer(let device, let name):
      carryOut(rules.changed(device, name, in: source.mirror, at: Clocks.read()))
    case .ring(let key): carryOut(rules.answered(key, in: source.mirror, at: Clocks.read()))
    case .status: look()
    case .event, .gap: break
    }
  }

  /// Checks which rings are due. Call this after a change of a status or of the clock; the timer
  /// calls it at the armed time.
  func look() {
    timer.arm(atUsec: nil)
    nextUsec = nil
    carryOut(rules.due(in: source.mirror, at: Clocks.read()))
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
    onChange(.timer(device: device, name: name))
  }

  private func end(_ key: RingKey) {
    for (number, ring) in rings where ring.key == key {
      rings[number] = nil
      notifier.end(number)
      onChange(.timer(device: ring.content.device, name: ring.content.name))
    }
  }

  /// The state of a ring that its owner has not published. Nil: there is none, or the owner is
  /// online and rings itself.
  func ringStatus(of name: String, on device: String) -> RingStatus? {
    let ringStatus = rules.ringStatus(
      device, name, in: source.mirror, nowUsec: loop.now.realtimeUsec)
    let isOnline = source.mirror.devices[device]?.status?.state == .online
    if case .on = ringStatus?.word, isOnline,
      ringStatus.flatMap({ ring($0.key) })?.content.reason == .elsewhere
    {
      return nil
    }
    return ringStatus
  }

  /// The ring of a timer that the user can answer here; nil: there is none.
  func openRing(
    of name: String, on device: String, snoozes: Bool
  ) -> (key: RingKey, dueUsec: Int64)? {
    rules.openRing(
      device, name, snoozes: snoozes, in: source.mirror, nowUsec: loop.now.realtimeUsec)
  }

  private func ring(_ key: RingKey) -> RemoteRings.Ring? {
    rings.values.first { $0.key == key }
  }

  // MARK: - Answers of the user

  /// Answers a ring, because the user ran a command for that.
  ///
  /// - Parameter snoozeUsec: how long until the timer rings again, in microseconds; nil: dismiss
  ///   the ring.
  func answer(_ ring: (key: RingKey, dueUsec: Int64), snoozeUsec: Int64?) {
    answer(ring.key, dueUsec: ring.dueUsec, snoozeUsec.map { .snoozed(byUsec: $0) } ?? .dismissed)
  }

  private func answered(_ number: Int, _ how: RemoteNotifier.Answer) {
    guard let ring = rings[number] else { return }
    answer(ring.key, dueUsec: ring.dueUsec, how)
  }

  private func answer(_ key: RingKey, dueUsec: Int64, _ how: RemoteNotifier.Answer) {
    let now = Clocks.read().realtimeUsec
    let kind: RingAnswer.Kind =
      switch how {
      case .dismissed: .dismissed
      case .snoozed(let usec): .snoozed(untilUsec: now + usec)
      }
    let answer = RingAnswer(kind, dueUsec: dueUsec, device: device, sentUsec: now)
    // In a later iteration, because the answer changes the rules, and `carryOut` may still be
    // carrying out their actions.
    loop.later { [weak self] in self?.onAnswer(key, answer) }
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
