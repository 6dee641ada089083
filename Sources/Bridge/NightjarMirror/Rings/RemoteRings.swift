public import NightjarModel

/// Decides for which timers of the user's other machines this machine rings.
///
/// This structure performs no I/O: its functions get the mirror and the time, and return actions.
/// This machine rings at most once for each published deadline. For a repeating timer, it rings
/// again only after the owner has published the next deadline.
public struct RemoteRings {
  /// How long this machine waits, in microseconds: for an owner to publish that its timer rings,
  /// for new messages after a sleep or a lost connection, and before it checks again whether it can
  /// ring.
  public static let timeoutUsec: Int64 = 5_000_000
  /// How far two synchronised clocks may differ, in microseconds. This machine rings when its clock
  /// is so far past the deadline, because the deadline has then passed on the owner's clock, too.
  public static let toleranceUsec: Int64 = 1_000_000
  /// If a ring would be later than this, in microseconds, this machine does not ring for it and
  /// lists it as missed.
  public static let latestUsec: Int64 = 600_000_000
  /// How late, in microseconds, this machine may still ring for a timer that must not ring late.
  /// This machine needs the time to find out that the owner does not ring.
  static let graceUsec: Int64 = 10_000_000

  /// The most times of a timer that are stored in `handled`. A timer has several only if its ring
  /// is snoozed repeatedly.
  private static let mostHandled = 8

  public struct LocalState: Equatable, Sendable {
    /// Whether the user is at this machine.
    public var active = DeviceStatus.Active.unknown
    /// Whether the user would see or hear a ring on this machine.
    public var canRing = false
    /// Whether the kernel reports the clock as synchronised.
    public var isSynchronized: Bool?

    public init() {}
  }

  /// A ring for a timer of another machine.
  public struct Ring: Equatable, Sendable {
    public let key: RingKey
    /// When the ring's expiry was due, on the owner's clock.
    public let dueUsec: Int64
    /// What the user sees and hears when this machine rings.
    public let content: RemoteRing
  }

  public enum Action: Equatable, Sendable {
    case ring(Ring)
    /// The ring ends, because it was answered or its timer has changed.
    case end(RingKey)
    /// This machine noticed the ring too late to ring.
    case missed(Ring)
  }

  private struct Place: Hashable, Comparable {
    let device: String
    let name: String

    static func < (one: Place, other: Place) -> Bool {
      (one.device, one.name) < (other.device, other.name)
    }
  }

  /// A time at which a ring is to sound, on the owner's clock: for an expiry, or at the end of a
  /// snooze.
  private struct Due {
    let expiry: Int64
    /// When the expiry was due.
    let dueUsec: Int64
    let usec: Int64

    init(_ expiry: Int64, dueUsec: Int64, usec: Int64? = nil) {
      (self.expiry, self.dueUsec, self.usec) = (expiry, dueUsec, usec ?? dueUsec)
    }

    func isSame(as other: Due) -> Bool {
      expiry == other.expiry && PublishedRing.isSame(usec, other.usec)
    }
  }

  /// A timer of another machine.
  private struct Timer {
    var value: PublishedRing
    /// The last times for which this machine rang, or which it missed, on the owner's clock.
    var handled: [Int64] = []
    /// The ring that this machine has seen to be due, and when, on CLOCK_BOOTTIME; nil: none is
    /// due.
    var seen: (due: Due, usec: Int64)?
    /// A ring that the owner has published, while this machine has not yet decided whether it rings
    /// as well; nil: there is no such ring.
    var rangThere: Due?
    /// The ring that sounds on this machine; nil: none does.
    var ringing: Due?
    /// The state of its ring that clients were shown.
    var shown: RingStatus.Word?

    /// The end of the open ring's snooze; nil: it is not snoozed.
    private func snoozeEnd(_ answers: RingAnswers) -> Due? {
      guard let open = value.open else { return nil }
      let answered = answers.ending(value.key(open.expiry), dueUsec: open.dueUsec)
      switch answered?.answer.kind {
      // A later ring of the timer includes this one.
      case _ where answered.map({ $0.expiry > open.expiry }) == true, .dismissed: return nil
      case .snoozed(let usec):
        let isOver = open.snoozedUntilUsec == nil && usec <= open.sinceUsec
        return isOver ? nil : Due(open.expiry, dueUsec: open.dueUsec, usec: usec)
      case .undone, nil:
        return open.snoozedUntilUsec.map { Due(open.expiry, dueUsec: open.dueUsec, usec: $0) }
      }
    }

    /// The times at which the timer is to ring, as far as its owner has published them.
    func dues(_ answers: RingAnswers) -> [Due] {
      let snoozeEnd = snoozeEnd(answers)
      guard let usec = value.deadlineUsec else { return [snoozeEnd].compactMap { $0 } }
      let number = value.next.expiry
      let answer = answers.ending(value.next, dueUsec: usec)?.answer
      if case .snoozed(let untilUsec)? = answer?.kind {
        return [Due(number, dueUsec: usec, usec: untilUsec)]
      }
      guard answer == nil, !value.countsThere else { return [snoozeEnd].compactMap { $0 } }
      // An expiry that is due before the end of the snooze joins the ring in silence.
      if let snoozeEnd, usec <= snoozeEnd.usec {
        return [Due(number, dueUsec: usec, usec: snoozeEnd.usec)]
      }
      return [snoozeEnd, Due(number, dueUsec: usec)].compactMap { $0 }
    }

    /// The next ring; nil: none. If several are due, the last of them alone counts.
    ///
    /// - Parameter usec: the present time on the owner's clock.
    func next(_ answers: RingAnswers, at usec: Int64) -> Due? {
      let dues = dues(answers).filter { !isHandled($0) }.sorted { $0.usec < $1.usec }
      return dues.last { $0.usec <= usec } ?? dues.first
    }

    /// Whether there was a ring at that time, for this expiry or one that joined it.
    func isHandled(_ due: Due) -> Bool { handled.contains { PublishedRing.isSame($0, due.usec) } }

    mutating func handle(_ due: Due) {
      if !isHandled(due) { handled = handled.suffix(RemoteRings.mostHandled - 1) + [due.usec] }
    }

    /// The ring that the owner has published in `value`, if it sounds anew since `old`, or if the
    /// owner has found since then that nobody noticed it.
    func newSound(since old: PublishedRing) -> Due? {
      guard let open = value.open, open.isNew, open.snoozedUntilUsec == nil,
        open.expiry >= old.next.expiry
          || open.expiry == old.open?.expiry
            && (open.rangUsec != old.open?.rangUsec
              || open.isUnnoticed && old.open?.isUnnoticed == false)
      else { return nil }
      return Due(open.expiry, dueUsec: open.dueUsec, usec: open.rangUsec - open.lateUsec)
    }

    /// Whether the owner has published that this ring sounds, or sounded and waits for an answer.
    func isOpen(_ due: Due) -> Bool {
      value.open.map { $0.expiry == due.expiry && $0.snoozedUntilUsec == nil } ?? false
    }
  }

  private var timers: [Place: Timer] = [:]
  /// The timers whose ring has another state than clients were shown.
  private var unshown: Set<Place> = []
  /// Whether the mirror is complete and up to date: this machine has not slept since it became
  /// complete.
  private var isSettled = false
  public var localState = LocalState()

  public init() {}

  // MARK: - Messages and answers

  /// The actions, and the latest time at which `due` must be called again, on CLOCK_BOOTTIME; nil:
  /// no call is needed.
  public typealias Outcome = (actions: [Action], nextUsec: Int64?)

  /// Records that the mirror is complete. The caller then calls `due`.
  public mutating func settled() { isSettled = true }

  /// Records that the connection to the broker is lost.
  public mutating func disconnected() { isSettled = false }

  /// Records that this machine was asleep. It waits `timeoutUsec` for new messages before it
  /// rings. O(timers).
  public mutating func woke() {
    isSettled = false
    for place in timers.keys { timers[place]?.seen = nil }
  }

  /// Handles a timer of the mirror that has changed or was removed. O(bytes of the value).
  public mutating func changed(
    _ device: String, _ name: String, in mirror: Mirror, at now: Moment
  ) -> Outcome {
    let place = Place(device: device, name: name)
    let old = timers[place]
    guard let value = mirror[device]?.ring(of: name) else {
      timers[place] = nil
      return (end(old), nil)
    }
    var timer = Timer(value: value)
    var actions: [Action] = []
    if let old, old.value.next.timer == value.next.timer {
      (timer.handled, timer.seen, timer.shown) = (old.handled, old.seen, old.shown)
      timer.ringing = old.ringing.flatMap { ringing in
        let isOn =
          timer.isOpen(ringing) || timer.dues(mirror.answers).contains { $0.isSame(as: ringing) }
        return isOn ? ringing : nil
      }
      if timer.ringing == nil { actions = end(old) }
      timer.rangThere = timer.newSound(since: old.value).flatMap { timer.isHandled($0) ? nil : $0 }
      if let earlier = old.rangThere, value.open?.rangUsec == old.value.open?.rangUsec {
        timer.rangThere = earlier
      }
    } else {
      actions = end(old)
    }
    timers[place] = timer
    let outcome = look(at: place, in: mirror, now)
    return (actions + outcome.actions, outcome.nextUsec)
  }

  private func end(_ timer: Timer?) -> [Action] {
    timer.flatMap { timer in timer.ringing.map { [.end(timer.value.key($0.expiry))] } } ?? []
  }

  /// The mirror already has an answer to this ring. This applies the answer. O(timers).
  public mutating func answered(_ key: RingKey, in mirror: Mirror, at now: Moment) -> Outcome {
    var actions: [Action] = []
    let places = timers.keys.filter { timers[$0]?.value.next.timer == key.timer }.sorted()
    for place in places {
      guard let timer = timers[place] else { continue }
      guard let ringing = timer.ringing,
        isAnswered(ringing, timer.value.key(ringing.expiry), mirror)
      else { continue }
      actions += end(timer)
      timers[place]?.ringing = nil
    }
    let outcome = look(at: places, in: mirror, now)
    return (actions + outcome.actions, outcome.nextUsec)
  }

  /// Whether the user has answered a ring since it is due. The snooze that it ends does not count.
  private func isAnswered(_ due: Due, _ key: RingKey, _ mirror: Mirror) -> Bool {
    switch mirror.answers.ending(key, dueUsec: due.dueUsec)?.answer.kind {
    case .dismissed: true
    case .snoozed(let untilUsec):
      untilUsec > due.usec && !PublishedRing.isSame(untilUsec, due.usec)
    case .undone, nil: false
    }
  }

  /// The state of a ring that its owner has not published; nil: there is none. O(1).
  ///
  /// - Parameter nowUsec: this machine's wall clock.
  public func ringStatus(
    _ device: String, _ name: String, in mirror: Mirror, nowUsec: Int64
  ) -> RingStatus? {
    guard let timer = timers[Place(device: device, name: name)] else { return nil }
    let (value, isAway) = (timer.value, mirror[device]?.state != .online)
    func status(_ due: Due, _ word: RingStatus.Word) -> RingStatus {
      RingStatus(key: value.key(due.expiry), dueUsec: due.dueUsec, word: word)
    }
    if let ringing = timer.ringing {
      let isForOwner = !isAway && timer.isOpen(ringing)
      return isForOwner ? nil : status(ringing, .on(sinceUsec: ringing.usec))
    }
    let next = timer.dues(mirror.answers).min { $0.usec < $1.usec }
    if let next, let ownersUsec = ownersUsec(device, mirror, nowUsec), ownersUsec >= next.usec {
      return isAway ? status(next, .due(sinceUsec: next.usec)) : nil
    }
    let open = value.open.map { Due($0.expiry, dueUsec: $0.dueUsec) }
    let rings = [value.deadlineUsec.map { Due(value.next.expiry, dueUsec: $0) }, open]
    for ring in rings.compactMap({ $0 }) {
      let answer = mirror.answers.ending(value.key(ring.expiry), dueUsec: ring.dueUsec)?.answer
      if answer?.kind == .dismissed { return status(ring, .dismissed) }
    }
    guard let due = next else { return nil }
    let isPublished = value.open?.snoozedUntilUsec.map { PublishedRing.isSame($0, due.usec) }
    return due.usec == due.dueUsec || isPublished == true
      ? nil : status(due, .snoozed(untilUsec: due.usec))
  }

  /// The ring of a timer that the user can answer here, and when its expiry was due, on the owner's
  /// clock; nil: there is none. O(1).
  ///
  /// - Parameters:
  ///   - snoozes: whether the answer is a snooze. Its end is a time of this machine's clock, so the
  ///     owner alone can snooze if the clocks may differ.
  ///   - nowUsec: this machine's wall clock.
  public func openRing(
    _ device: String, _ name: String, snoozes: Bool, in mirror: Mirror, nowUsec: Int64
  ) -> (key: RingKey, dueUsec: Int64)? {
    guard !snoozes || ownersUsec(device, mirror, nowUsec) != nil else { return nil }
    if let status = ringStatus(device, name, in: mirror, nowUsec: nowUsec) {
      return status.word == .dismissed ? nil : (status.key, status.dueUsec)
    }
    guard let value = timers[Place(device: device, name: name)]?.value else { return nil }
    return value.open.map { (value.key($0.expiry), $0.dueUsec) }
  }

  // MARK: - Due rings

  /// Decides for which timers this machine rings now. Returns the actions and the time of the next
  /// check. O(timers).
  ///
  /// The caller calls this at that time, and whenever a status, the clock or a fact about this
  /// machine has changed. If a ring waits because this machine cannot ring, the next check is soon.
  /// For that check, the caller finds out whether this machine can ring, and sets `localState`.
  public mutating func due(in mirror: Mirror, at now: Moment) -> Outcome {
    look(at: timers.keys.sorted(), in: mirror, now)
  }

  private mutating func look(at places: [Place], in mirror: Mirror, _ now: Moment) -> Outcome {
    var actions: [Action] = []
    var nextUsec: Int64?
    for place in places {
      let outcome = look(at: place, in: mirror, now)
      actions += outcome.actions
      nextUsec = [nextUsec, outcome.nextUsec].compactMap { $0 }.min()
    }
    return (actions, nextUsec)
  }

  private mutating func look(at place: Place, in mirror: Mirror, _ now: Moment) -> Outcome {
    defer { noteShown(place, mirror, now) }
    guard var timer = timers[place],
      let ownersUsec = ownersUsec(place.device, mirror, now.realtimeUsec)
    else { return ([], nil) }
    defer { timers[place] = timer }
    let along = ringAlong(&timer, place, mirror, ownersUsec: ownersUsec, now)
    let own = lookAtDeadline(of: &timer, place, mirror, ownersUsec: ownersUsec, now)
    return (along.actions + own.actions, [along.nextUsec, own.nextUsec].compactMap { $0 }.min())
  }

  private mutating func noteShown(_ place: Place, _ mirror: Mirror, _ now: Moment) {
    let word =
      ringStatus(place.device, place.name, in: mirror, nowUsec: now.realtimeUsec)?.word
    guard timers[place]?.shown != word else { return }
    timers[place]?.shown = word
    unshown.insert(place)
  }

  /// The timers whose `ringStatus` has changed since the last call, sorted.
  public mutating func takeUnshown() -> [(device: String, name: String)] {
    defer { unshown = [] }
    return unshown.sorted().map { ($0.device, $0.name) }
  }

  private func lookAtDeadline(
    of timer: inout Timer, _ place: Place, _ mirror: Mirror, ownersUsec: Int64, _ now: Moment
  ) -> Outcome {
    guard let due = timer.next(mirror.answers, at: ownersUsec) else { return ([], nil) }
    let lateUsec = ownersUsec - due.usec
    guard lateUsec >= 0 else {
      timer.seen = nil
      return ([], now.boottimeUsec - lateUsec)
    }
    // An owner that is silent about an earlier ring gets no more time for a later one.
    let dues = timer.dues(mirror.answers)
    let seen =
      timer.seen.flatMap { seen in dues.contains { $0.isSame(as: seen.due) } ? seen : nil }
      ?? (due: due, usec: now.boottimeUsec)
    timer.seen = seen
    let untilUsec = seen.usec + Self.timeoutUsec
    let isOverdue = now.boottimeUsec >= untilUsec
    guard let reason = reason(place, mirror, isOverdue: isOverdue) else {
      return ([], isOverdue ? nil : untilUsec)
    }
    let ring = ring(timer.value, due, place, reason)
    let actions: [Action]
    if lateUsec > latest(timer.value) {
      actions = [.missed(ring)]
    } else if localState.canRing {
      actions = end(timer) + [.ring(ring)]
      timer.ringing = due
    } else {
      return ([], now.boottimeUsec + Self.timeoutUsec)
    }
    for earlier in dues where earlier.usec <= due.usec { timer.handle(earlier) }
    timer.seen = nil
    return (
      actions,
      timer.next(mirror.answers, at: ownersUsec).map { next in
        now.boottimeUsec + max(0, next.usec - ownersUsec)
      }
    )
  }

  /// Handles a ring that the owner has published. This machine rings as well if the user would not
  /// notice the owner's ring. It decides this once, when the mirror is complete. If it should ring
  /// but cannot, it checks again until it is too late for the ring.
  private func ringAlong(
    _ timer: inout Timer, _ place: Place, _ mirror: Mirror, ownersUsec: Int64, _ now: Moment
  ) -> Outcome {
    guard let due = timer.rangThere, isSettled else { return ([], nil) }
    let isUnnoticed = timer.isOpen(due) && timer.value.open?.isUnnoticed == true
    guard isForElsewhere(place.device, mirror, isUnnoticed: isUnnoticed),
      !isAnswered(due, timer.value.key(due.expiry), mirror),
      ownersUsec - due.usec <= latest(timer.value)
    else {
      timer.rangThere = nil
      return ([], nil)
    }
    guard localState.canRing else { return ([], now.boottimeUsec + Self.timeoutUsec) }
    let earlier = end(timer)
    (timer.rangThere, timer.ringing) = (nil, due)
    timer.handle(due)
    return (earlier + [.ring(ring(timer.value, due, place, .elsewhere))], nil)
  }

  /// - Parameter isOverdue: whether the owner has had `timeoutUsec` to publish that its timer
  ///   rings.
  /// - Returns: why this machine rings; nil: it does not ring now.
  private func reason(
    _ place: Place, _ mirror: Mirror, isOverdue: Bool
  ) -> RemoteRing.Reason? {
    let device = mirror[place.device]
    let sinceUsec = device?.sinceUsec
    switch device?.state {
    case .online where isSettled && isForElsewhere(place.device, mirror): return .elsewhere
    case .asleep where isSettled || isOverdue: return .asleep(sinceUsec: sinceUsec)
    case .offline where isSettled || isOverdue: return .offline(sinceUsec: sinceUsec)
    case .noDaemon where isSettled || isOverdue: return .noDaemon
    case .online where isOverdue: return .silent
    case .online, .asleep, .offline, .noDaemon, nil: return nil
    }
  }

  /// Whether this machine should ring for an owner that is online. It should if two conditions are
  /// true. First, the user did not notice the owner's ring, or would not notice one. Second, the
  /// user is at this machine, or is at no other online machine that can ring.
  private func isForElsewhere(
    _ device: String, _ mirror: Mirror, isUnnoticed: Bool = false
  ) -> Bool {
    guard let owner = mirror[device], owner.state == .online, let status = owner.status,
      isUnnoticed || status.active == .no || status.canRing != true
    else { return false }
    return localState.active == .yes
      || !mirror.devices.contains { owner, other in
        mirror.isMachine(owner) && owner.device != device && other.state == .online
          && other.status?.active == .yes && other.status?.canRing == true
      }
  }

  /// The time that the owner's clock has certainly reached; nil: that is unknown, because the
  /// owner's clock or this machine's is not synchronised.
  private func ownersUsec(_ device: String, _ mirror: Mirror, _ nowUsec: Int64) -> Int64? {
    guard localState.isSynchronized == true,
      mirror[device]?.status?.isSynchronized == true
    else { return nil }
    return nowUsec - Self.toleranceUsec
  }

  private func latest(_ value: PublishedRing) -> Int64 {
    min(Self.latestUsec, value.lateLimitUsec.map { max($0, Self.graceUsec) } ?? Self.latestUsec)
  }

  private func ring(
    _ value: PublishedRing, _ due: Due, _ place: Place, _ reason: RemoteRing.Reason
  ) -> Ring {
    let content = RemoteRing(
      device: place.device, name: place.name, message: value.message, kind: value.kind,
      isSilent: value.isSilent, dueUsec: due.usec, reason: reason,
      continues: value.continues)
    return Ring(key: value.key(due.expiry), dueUsec: due.dueUsec, content: content)
  }
}
