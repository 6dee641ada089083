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
  /// If a ring would be later than this, in microseconds, this machine does not ring for it and
  /// lists it as missed.
  public static let latestUsec: Int64 = 600_000_000
  /// How late, in microseconds, this machine may still ring for a timer that must not ring late.
  /// This machine needs the time to find out that the owner does not ring.
  static let graceUsec: Int64 = 10_000_000

  /// The most deadlines of a timer that are stored in `handled`. A timer has several only if its
  /// ring is snoozed repeatedly.
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
    public var key: RingKey
    /// What the user sees and hears when this machine rings.
    public let content: RemoteRing
    /// How far the owner's clock is ahead of this machine's, in microseconds.
    public let aheadUsec: Int64
  }

  /// An action that the caller has to carry out.
  public enum Action: Equatable, Sendable {
    case ring(Ring)
    /// The ring ends, because it was answered or its timer has changed.
    case end(RingKey)
    /// The timer of the ring has another event number and the same deadline. From now on, answers
    /// to the ring have the new key.
    case renumber(RingKey, as: RingKey)
    /// An answer that was given on this machine must also be published for this key.
    case answer(RingKey, RingAnswer)
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

  /// A timer of another machine.
  private struct Timer {
    var value: PublishedRing
    /// The last deadlines for which this machine rang, or whose rings were answered or missed. They
    /// are on the owner's clock.
    var handled: [Int64] = []
    /// Until when a ring is snoozed, on the owner's clock. Nil: no ring is snoozed, or the owner
    /// has published the snooze.
    var snoozedUntilUsec: Int64?
    /// The key of the snoozed ring, if the owner has published a newer value of the timer since
    /// that ring. Nil: the snoozed ring has the key of `value`.
    var snoozedKey: RingKey?
    /// When this machine saw that the ring was due, on CLOCK_BOOTTIME; nil: no ring is due.
    var seenDueUsec: Int64?
    /// The key of a ring that the owner has published, while this machine has not yet decided
    /// whether it rings as well; nil: there is no such ring.
    var rangThere: RingKey?
    /// The ring that is in progress on this machine; nil: none is.
    var ringing: Ringing?

    /// The next ring, on the owner's clock, and its key; nil: none. If the ring of `value` was
    /// snoozed, the end of the snooze replaces the deadline of `value`. If an older ring was
    /// snoozed, the next ring is at the end of the snooze or at the deadline of `value`, whichever
    /// is earlier.
    var next: (usec: Int64, key: RingKey)? {
      let snoozed = snoozedUntilUsec.map { ($0, snoozedKey ?? value.key) }
      let own =
        snoozed == nil || snoozedKey != nil ? value.deadlineUsec.map { ($0, value.key) } : nil
      return [snoozed, own].compactMap { $0 }.filter { !isHandled($0.0) }.min { $0.0 < $1.0 }
    }

    func isHandled(_ usec: Int64) -> Bool {
      handled.contains { PublishedRing.isSame($0, usec) }
    }

    mutating func handle(_ usec: Int64?) {
      guard let usec, !isHandled(usec) else { return }
      handled = handled.suffix(RemoteRings.mostHandled - 1) + [usec]
    }

    /// Applies an answer to an older ring than that of `value`. The owner has rung for the older
    /// ring, and has published a newer `value` since, but has not published the answer yet.
    mutating func snooze(_ key: RingKey, _ answer: RingAnswer) {
      switch answer.kind {
      case .dismissed: (snoozedUntilUsec, snoozedKey) = (nil, nil)
      case .snoozed(let untilUsec): (snoozedUntilUsec, snoozedKey) = (untilUsec, key)
      }
    }

    mutating func take(_ answer: RingAnswer) {
      seenDueUsec = nil
      handle(value.deadlineUsec)
      switch answer.kind {
      case .dismissed:
        handle(snoozedUntilUsec)
        snoozedUntilUsec = nil
      case .snoozed(let untilUsec): snoozedUntilUsec = untilUsec
      }
    }
  }

  /// A ring that is in progress on this machine.
  private struct Ringing {
    let key: RingKey
    /// The deadline of the ring, on the owner's clock.
    let deadlineUsec: Int64
    /// When the ring of the owner itself began, on the owner's clock; nil: the owner has not
    /// published a ring.
    var firedUsec: Int64?
  }

  private var timers: [Place: Timer] = [:]
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
    for place in timers.keys { timers[place]?.seenDueUsec = nil }
  }

  /// Handles a timer of the mirror that has changed or was removed. O(bytes of the value).
  public mutating func changed(
    _ device: String, _ name: String, in mirror: Mirror, at now: Moment
  ) -> Outcome {
    let place = Place(device: device, name: name)
    let old = timers[place]
    guard let value = mirror.devices[device]?.ring(of: name) else {
      timers[place] = nil
      return (end(old), nil)
    }
    var timer = Timer(value: value)
    var actions: [Action] = []
    if var old, old.value.key.ledger == value.key.ledger, old.value.key.id == value.key.id {
      if old.value.key == value.key {
        // The event number is the same: the clock moved the deadline, or the timer stopped or
        // continued.
        old.value = value
        old.seenDueUsec = nil
        timer = old
      } else {
        timer.handled = old.handled
        if let usec = value.deadlineUsec, timer.isHandled(usec) {
          actions = carryOver(old, as: &timer, mirror)
        } else if let ringing = old.ringing {
          timer.ringing = Self.continued(ringing, by: value)
          if timer.ringing == nil { actions = end(old) }
        } else if value.rings(for: old.value), !old.isHandled(old.value.deadlineUsec ?? 0) {
          timer.rangThere = old.value.key
        } else if let earlier = old.rangThere, value.firedUsec == old.value.firedUsec {
          timer.rangThere = earlier
        }
        if let answer = mirror.answers[value.key] { timer.take(answer) }
      }
    } else {
      actions = end(old)
      if let answer = mirror.answers[value.key] { timer.take(answer) }
    }
    timers[place] = timer
    let outcome = look(at: place, in: mirror, now)
    return (actions + outcome.actions, outcome.nextUsec)
  }

  /// Handles a timer that has another event number and the same deadline, if that deadline is in
  /// `handled`.
  private func carryOver(_ old: Timer, as timer: inout Timer, _ mirror: Mirror) -> [Action] {
    let (earlier, key) = (old.value.key, timer.value.key)
    if let ringing = old.ringing {
      timer.ringing = Ringing(key: key, deadlineUsec: ringing.deadlineUsec)
      return [.renumber(ringing.key, as: key)]
    }
    guard let answer = mirror.answers[earlier] else { return [] }
    timer.take(answer)
    let isOurs = answer.device == mirror.own.device && mirror.answers[key] == nil
    return isOurs ? [.answer(key, answer)] : []
  }

  /// The ring on this machine after the owner has published a new value. Nil: the owner does not
  /// ring for this deadline any more, so the ring ends on this machine, too.
  private static func continued(_ ringing: Ringing, by value: PublishedRing) -> Ringing? {
    let isOn =
      ringing.firedUsec.map { $0 == value.firedUsec }
      ?? value.rings(forDeadline: ringing.deadlineUsec)
    guard isOn else { return nil }
    return Ringing(
      key: ringing.key, deadlineUsec: ringing.deadlineUsec, firedUsec: value.firedUsec)
  }

  private func end(_ timer: Timer?) -> [Action] {
    timer?.ringing.map { [.end($0.key)] } ?? []
  }

  /// The mirror already has an answer to this ring. This applies the answer. O(timers).
  public mutating func answered(_ key: RingKey, in mirror: Mirror, at now: Moment) -> Outcome {
    guard let answer = mirror.answers[key] else { return ([], nil) }
    var actions: [Action] = []
    var snoozed: [Place] = []
    for place in timers.keys.sorted() {
      guard var timer = timers[place] else { continue }
      let isOn = timer.ringing?.key == key || timer.rangThere == key
      if timer.ringing?.key == key {
        actions.append(.end(key))
        timer.ringing = nil
      }
      if timer.rangThere == key { timer.rangThere = nil }
      let isOfValue = timer.value.key == key
      if isOfValue {
        timer.take(answer)
      } else if isOn || timer.snoozedKey == key {
        timer.snooze(key, answer)
      }
      timers[place] = timer
      if isOfValue || timer.snoozedKey == key { snoozed.append(place) }
    }
    let outcome = look(at: snoozed, in: mirror, now)
    return (actions + outcome.actions, outcome.nextUsec)
  }

  /// The state of a ring that its owner has not published; nil: there is none. O(1).
  ///
  /// - Parameter nowUsec: this machine's wall clock.
  public func ringStatus(
    _ device: String, _ name: String, in mirror: Mirror, nowUsec: Int64
  ) -> RingStatus? {
    guard let timer = timers[Place(device: device, name: name)] else { return nil }
    let isAway = mirror.devices[device]?.status?.state != .online
    if let ringing = timer.ringing {
      let isForOwner = !isAway && ringing.firedUsec != nil
      return isForOwner ? nil : .on(ringing.key, dueUsec: ringing.deadlineUsec)
    }
    guard let deadlineUsec = timer.value.deadlineUsec else { return nil }
    let key = timer.value.key
    // If the difference of the clocks is unknown, this machine cannot know whether the ring is due.
    let ownersUsec = ahead(device, mirror).map { nowUsec + $0 }
    switch mirror.answers[key]?.kind {
    case .dismissed: return .dismissed(dueUsec: deadlineUsec)
    case .snoozed(let untilUsec):
      let isOver = ownersUsec.map { $0 >= untilUsec } ?? false
      return isOver
        ? .due(key, dueUsec: untilUsec) : .snoozed(untilUsec: untilUsec, dueUsec: deadlineUsec)
    case nil:
      let isPast = ownersUsec.map { $0 >= deadlineUsec } ?? false
      let isDue = isAway && !timer.value.countsThere && isPast
      return isDue ? .due(key, dueUsec: deadlineUsec) : nil
    }
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
    guard var timer = timers[place], let aheadUsec = ahead(place.device, mirror) else {
      return ([], nil)
    }
    defer { timers[place] = timer }
    let along = ringAlong(&timer, place, mirror, aheadUsec: aheadUsec, now)
    let own = lookAtDeadline(of: &timer, place, mirror, aheadUsec: aheadUsec, now)
    return (along.actions + own.actions, [along.nextUsec, own.nextUsec].compactMap { $0 }.min())
  }

  private func lookAtDeadline(
    of timer: inout Timer, _ place: Place, _ mirror: Mirror, aheadUsec: Int64, _ now: Moment
  ) -> Outcome {
    guard let (deadlineUsec, key) = timer.next else { return ([], nil) }
    let lateUsec = now.realtimeUsec - (deadlineUsec - aheadUsec)
    guard lateUsec >= 0 else {
      timer.seenDueUsec = nil
      return ([], now.boottimeUsec - lateUsec)
    }
    let seenUsec = timer.seenDueUsec ?? now.boottimeUsec
    timer.seenDueUsec = seenUsec
    let untilUsec = seenUsec + Self.timeoutUsec
    let isOverdue = now.boottimeUsec >= untilUsec
    guard let reason = reason(timer, place, mirror, isOverdue: isOverdue) else {
      return ([], isOverdue ? nil : untilUsec)
    }
    let ring = ring(timer.value, key, place, deadlineUsec, aheadUsec: aheadUsec, reason)
    let actions: [Action]
    // The limit of the timer applies only to its own deadline. After a snooze, the limit is
    // `latestUsec`.
    if lateUsec > (timer.snoozedUntilUsec == nil ? latest(timer.value) : Self.latestUsec) {
      actions = [.missed(ring)]
    } else if localState.canRing {
      actions = end(timer) + [.ring(ring)]
      timer.ringing = Ringing(key: ring.key, deadlineUsec: deadlineUsec)
    } else {
      return ([], now.boottimeUsec + Self.timeoutUsec)
    }
    timer.handle(deadlineUsec)
    timer.seenDueUsec = nil
    return (actions, nil)
  }

  /// Handles a ring that the owner has published. This machine rings as well if the user would not
  /// notice the owner's ring. It decides this once, when the mirror is complete. If it should ring
  /// but cannot, it checks again until it is too late for the ring.
  private func ringAlong(
    _ timer: inout Timer, _ place: Place, _ mirror: Mirror, aheadUsec: Int64, _ now: Moment
  ) -> Outcome {
    guard let key = timer.rangThere, isSettled else { return ([], nil) }
    guard isForElsewhere(place.device, mirror), mirror.answers[key] == nil,
      let dueUsec = timer.value.firedDueUsec,
      now.realtimeUsec - (dueUsec - aheadUsec) <= latest(timer.value)
    else {
      timer.rangThere = nil
      return ([], nil)
    }
    guard localState.canRing else { return ([], now.boottimeUsec + Self.timeoutUsec) }
    timer.rangThere = nil
    let earlier = end(timer)
    timer.ringing = Ringing(key: key, deadlineUsec: dueUsec, firedUsec: timer.value.firedUsec)
    let ring = ring(timer.value, key, place, dueUsec, aheadUsec: aheadUsec, .elsewhere)
    return (earlier + [.ring(ring)], nil)
  }

  /// - Parameter isOverdue: whether the owner has had `timeoutUsec` to publish that its timer
  ///   rings.
  /// - Returns: why this machine rings; nil: it does not ring now.
  private func reason(
    _ timer: Timer, _ place: Place, _ mirror: Mirror, isOverdue: Bool
  ) -> RemoteRing.Reason? {
    // If a timer's time passes only while the owner is awake or the user is present there, only the
    // owner knows whether the timer is due. The time of a snooze passes always.
    let countsThere = timer.value.countsThere && timer.snoozedUntilUsec == nil
    guard !countsThere else { return nil }
    let device = mirror.devices[place.device]
    let sinceUsec = device?.sinceUsec
    switch device?.status?.state {
    case .online where isSettled && isForElsewhere(place.device, mirror): return .elsewhere
    case .asleep where isSettled || isOverdue: return .asleep(sinceUsec: sinceUsec)
    case .offline where isSettled || isOverdue: return .offline(sinceUsec: sinceUsec)
    case .noDaemon where isSettled || isOverdue: return .noDaemon
    case nil where isSettled || isOverdue: return .offline(sinceUsec: nil)
    case .online where isOverdue: return .silent
    case .online, .asleep, .offline, .noDaemon, nil: return nil
    }
  }

  /// Whether this machine should ring for an owner that is online. It should if two conditions are
  /// true. First, the user would not notice a ring at the owner. Second, the user is at this
  /// machine, or is at no other online machine that can ring.
  private func isForElsewhere(_ device: String, _ mirror: Mirror) -> Bool {
    guard let owner = mirror.devices[device]?.status, owner.state == .online,
      owner.active == .no || !owner.canRing
    else { return false }
    return localState.active == .yes
      || !mirror.devices.contains { name, other in
        guard name != device, let status = other.status else { return false }
        return status.state == .online && status.active == .yes && status.canRing
      }
  }

  /// How far the owner's clock is ahead of this machine's, in microseconds; nil: unknown.
  public func ahead(_ device: String, _ mirror: Mirror) -> Int64? {
    guard let device = mirror.devices[device] else { return nil }
    // If both clocks are synchronised, a measured difference is only the delay of a message.
    if device.status?.isSynchronized == true, localState.isSynchronized == true { return 0 }
    return device.clockAheadUsec
  }

  private func latest(_ value: PublishedRing) -> Int64 {
    min(Self.latestUsec, value.lateLimitUsec.map { max($0, Self.graceUsec) } ?? Self.latestUsec)
  }

  /// - Parameter deadlineUsec: the deadline of the ring, on the owner's clock.
  private func ring(
    _ value: PublishedRing, _ key: RingKey, _ place: Place, _ deadlineUsec: Int64,
    aheadUsec: Int64, _ reason: RemoteRing.Reason
  ) -> Ring {
    let content = RemoteRing(
      device: place.device, name: place.name, message: value.message, kind: value.kind,
      isSilent: value.isSilent, dueUsec: deadlineUsec - aheadUsec, reason: reason,
      continues: value.continues)
    return Ring(key: key, content: content, aheadUsec: aheadUsec)
  }
}
