public import NightjarModel

/// Which rings of the person's other machines this machine rings for.
///
/// It is pure: it gets what the mirror says and when, and returns what is to be done. A deadline that was published
/// rings at most once here; what repeats waits for its owner to publish the next one.
public struct RemoteRings {
  /// So long an owner may take to say that it rang, in microseconds; and so long this machine waits, after it was
  /// asleep or cut off, for what has happened meanwhile, and until it looks again whether it can ring.
  public static let patienceUsec: Int64 = 5_000_000
  /// What is later than this is listed as missed, and does not ring any more, in microseconds.
  public static let latestUsec: Int64 = 600_000_000
  /// A timer that may not be late rings here all the same up to so late, in microseconds: this machine has to learn
  /// first that the owner does not ring.
  static let graceUsec: Int64 = 10_000_000

  /// Deadlines of a timer that are remembered. There are several only if its ring is snoozed again and again.
  private static let mostHandled = 8

  /// What is so on this machine.
  public struct Here: Equatable, Sendable {
    /// Whether the person uses it now.
    public var active = DeviceStatus.Active.unknown
    /// Whether a ring would be seen or heard.
    public var canRing = false
    /// Whether the kernel says that its clock is synchronised.
    public var isSynchronized: Bool?

    /// Nothing is known.
    public init() {}
  }

  /// A ring of another machine.
  public struct Ring: Equatable, Sendable {
    /// Which ring.
    public var key: RingKey
    /// What is seen and heard of it.
    public let content: RemoteRing
    /// How far the owner's clock is ahead of this machine's.
    public let aheadUsec: Int64
  }

  /// What is to be done.
  public enum Action: Equatable, Sendable {
    case ring(Ring)
    /// It was answered, or its timer is another.
    case end(RingKey)
    /// Its timer has another number, and the same deadline: how it is answered belongs to that.
    case renumber(RingKey, as: RingKey)
    /// What was answered here belongs to another number, too.
    case answer(RingKey, RingAnswer)
    /// It was noticed too late to ring.
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
    /// The last deadlines, on the owner's clock, that have rung here, were answered or were missed.
    var handled: [Int64] = []
    /// The ring was snoozed until then, on the owner's clock, and the owner has not published that.
    var snoozedUntilUsec: Int64?
    /// The number of that ring, if it is an earlier one than the value's: the owner had rung, too.
    var snoozedKey: RingKey?
    /// When this machine saw that it is due, on CLOCK_BOOTTIME.
    var seenDueUsec: Int64?
    /// The owner rings for an earlier value, and this machine has not decided yet whether it does, too.
    var rangThere: RingKey?
    /// What rings here.
    var ringing: Ringing?

    /// What is to ring next, on the owner's clock, and its number; nil: nothing. A snooze stands in place of the deadline
    /// that it was for, and beside a later one.
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

    /// A ring was answered that its owner has rung for, too, and the owner has not published the answer.
    mutating func snooze(_ key: RingKey, _ answer: RingAnswer) {
      switch answer.how {
      case .dismissed: (snoozedUntilUsec, snoozedKey) = (nil, nil)
      case .snoozed(let untilUsec): (snoozedUntilUsec, snoozedKey) = (untilUsec, key)
      }
    }

    mutating func take(_ answer: RingAnswer) {
      seenDueUsec = nil
      handle(value.deadlineUsec)
      switch answer.how {
      case .dismissed:
        handle(snoozedUntilUsec)
        snoozedUntilUsec = nil
      case .snoozed(let untilUsec): snoozedUntilUsec = untilUsec
      }
    }
  }

  /// A ring that is on here.
  private struct Ringing {
    let key: RingKey
    /// On the owner's clock.
    let deadlineUsec: Int64
    /// When the owner's own ring began; nil until it has said so.
    var firedUsec: Int64?
  }

  private var timers: [Place: Timer] = [:]
  /// Whether this machine knows what has happened elsewhere.
  private var isSettled = false
  /// What is so on this machine.
  public var here = Here()

  /// Nothing rings, and nothing is known of what has happened.
  public init() {}

  // MARK: - What is known

  /// What is to be done, and when `due` is to be called at the latest, on CLOCK_BOOTTIME; nil: not because of this.
  public typealias Outcome = (actions: [Action], nextUsec: Int64?)

  /// The mirror is complete; `due` is to be called.
  public mutating func settled() { isSettled = true }

  /// The connection to the broker is lost.
  public mutating func cutOff() { isSettled = false }

  /// This machine was asleep: it has another 5 s to learn what has happened. O(timers).
  public mutating func woke() {
    isSettled = false
    for place in timers.keys { timers[place]?.seenDueUsec = nil }
  }

  /// A timer of the mirror is another, or gone. O(bytes of the value).
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
        // Its deadline moved with the clock, or it stands still or continues.
        old.value = value
        old.seenDueUsec = nil
        timer = old
      } else {
        timer.handled = old.handled
        if let usec = value.deadlineUsec, timer.isHandled(usec) {
          actions = keep(old, as: &timer, mirror)
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

  /// The number of a timer is another, and its deadline, which has rung here or was answered, is not.
  private func keep(_ old: Timer, as timer: inout Timer, _ mirror: Mirror) -> [Action] {
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

  /// What rings here while the owner's own ring is on; nil: it is over there.
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

  /// A ring was answered. O(timers).
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

  /// How the ring of a timer stands that its owner has not published; nil: there is none. O(1).
  ///
  /// - Parameter nowUsec: this machine's wall clock.
  public func standing(
    _ device: String, _ name: String, in mirror: Mirror, nowUsec: Int64
  ) -> RingStanding? {
    guard let timer = timers[Place(device: device, name: name)] else { return nil }
    if let ringing = timer.ringing {
      let isPublished = ringing.firedUsec != nil
      return isPublished ? nil : .on(ringing.key, dueUsec: ringing.deadlineUsec)
    }
    guard let deadlineUsec = timer.value.deadlineUsec else { return nil }
    let key = timer.value.key
    // While this machine does not know the owner's clock, nothing is due by it.
    let ownersUsec = ahead(device, mirror).map { nowUsec + $0 }
    switch mirror.answers[key]?.how {
    case .dismissed: return .dismissed(dueUsec: deadlineUsec)
    case .snoozed(let untilUsec):
      let isOver = ownersUsec.map { $0 >= untilUsec } ?? false
      return isOver
        ? .due(key, dueUsec: untilUsec) : .snoozed(untilUsec: untilUsec, dueUsec: deadlineUsec)
    case nil:
      let isAway = mirror.devices[device]?.status?.state != .online
      let isPast = ownersUsec.map { $0 >= deadlineUsec } ?? false
      let isDue = isAway && !timer.value.countsThere && isPast
      return isDue ? .due(key, dueUsec: deadlineUsec) : nil
    }
  }

  // MARK: - What is due

  /// Rings for what is due, and says when to look next. O(timers).
  ///
  /// It is to be called at that time, and whenever a status, the clock, or what is so here has changed. While this machine
  /// cannot ring and a ring waits for that, the time is soon: the caller then finds out whether it can, and sets `here`.
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
    let untilUsec = seenUsec + Self.patienceUsec
    let isOverdue = now.boottimeUsec >= untilUsec
    guard let reason = reason(timer, place, mirror, isOverdue: isOverdue) else {
      return ([], isOverdue ? nil : untilUsec)
    }
    let ring = ring(timer.value, key, place, deadlineUsec, aheadUsec: aheadUsec, reason)
    let actions: [Action]
    // A snoozed ring is due anew: the timer's own limit was for the first.
    if lateUsec > (timer.snoozedUntilUsec == nil ? latest(timer.value) : Self.latestUsec) {
      actions = [.missed(ring)]
    } else if here.canRing {
      actions = end(timer) + [.ring(ring)]
      timer.ringing = Ringing(key: ring.key, deadlineUsec: deadlineUsec)
    } else {
      return ([], now.boottimeUsec + Self.patienceUsec)
    }
    timer.handle(deadlineUsec)
    timer.seenDueUsec = nil
    return (actions, nil)
  }

  /// The owner rings, and has said so. This machine rings, too, if the person is not there. It is decided once, when
  /// this machine knows enough; if it cannot ring, it looks again for as long as it would ring.
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
    guard here.canRing else { return ([], now.boottimeUsec + Self.patienceUsec) }
    timer.rangThere = nil
    let earlier = end(timer)
    timer.ringing = Ringing(key: key, deadlineUsec: dueUsec, firedUsec: timer.value.firedUsec)
    let ring = ring(timer.value, key, place, dueUsec, aheadUsec: aheadUsec, .elsewhere)
    return (earlier + [.ring(ring)], nil)
  }

  /// - Parameter isOverdue: the owner has had its time.
  /// - Returns: nil: not yet, or not at all.
  private func reason(
    _ timer: Timer, _ place: Place, _ mirror: Mirror, isOverdue: Bool
  ) -> RemoteRing.Reason? {
    // Whether its time has passed, only the owner knows, unless it was snoozed.
    let countsThere = timer.value.countsThere && timer.snoozedUntilUsec == nil
    guard !countsThere else { return nil }
    let device = mirror.devices[place.device]
    let sinceUsec = device?.sinceUsec
    switch device?.status?.state {
    case .online where isSettled && isForElsewhere(place.device, mirror): return .elsewhere
    case .asleep where isSettled || isOverdue: return .asleep(sinceUsec: sinceUsec)
    case .offline where isSettled || isOverdue: return .offline(sinceUsec: sinceUsec)
    case nil where isSettled || isOverdue: return .offline(sinceUsec: nil)
    case .online where isOverdue: return .silent
    case .online, .asleep, .offline, nil: return nil
    }
  }

  /// Whether this machine rings for an owner that is awake: the user would not notice a ring there, and is here, or at no
  /// other machine that can ring.
  private func isForElsewhere(_ device: String, _ mirror: Mirror) -> Bool {
    guard let owner = mirror.devices[device]?.status, owner.state == .online,
      owner.active == .no || !owner.canRing
    else { return false }
    return here.active == .yes
      || !mirror.devices.contains { name, other in
        guard name != device, let status = other.status else { return false }
        return status.state == .online && status.active == .yes && status.canRing
      }
  }

  /// How far the owner's clock is ahead of this machine's, in microseconds; nil: that is not known.
  public func ahead(_ device: String, _ mirror: Mirror) -> Int64? {
    guard let device = mirror.devices[device] else { return nil }
    // Then a difference is the time that a message took.
    if device.status?.isSynchronized == true, here.isSynchronized == true { return 0 }
    return device.clockAheadUsec
  }

  private func latest(_ value: PublishedRing) -> Int64 {
    min(Self.latestUsec, value.lateLimitUsec.map { max($0, Self.graceUsec) } ?? Self.latestUsec)
  }

  /// - Parameter deadlineUsec: on the owner's clock.
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
