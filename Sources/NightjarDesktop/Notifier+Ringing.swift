internal import NightjarEngine
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem

/// How a ring is heard.
struct Heard {
  let sound: RingSound
  let course: RingCourse

  init(_ sound: RingSound, _ course: RingCourse) { (self.sound, self.course) = (sound, course) }

  /// How several are heard at once: the first sound that there is, for as long as one of them lasts. Nil: none
  /// of them is heard.
  init?(of all: some Sequence<Heard>) {
    var first: Heard?
    for one in all where one.sound != .none {
      guard let best = first else {
        first = one
        continue
      }
      // One that lasts, and one that is heard whatever the server says, come before others.
      let isBetter =
        (one.course.disturbs ? 1 : 0, one.course.forUsec)
        > (best.course.disturbs ? 1 : 0, best.course.forUsec)
      if isBetter { first = Heard(best.sound, one.course) }
    }
    guard let first else { return nil }
    self = first
  }
}

/// What is heard of rings, and for how long.
extension Notifier {
  /// A timer rings: from now on somebody is expected to answer, if it rings for longer than once.
  func begin(_ subject: Event.Subject) -> Heard {
    let heard = heard(of: subject)
    guard isNoticed(heard), let record = keeper.record(subject.slot), record.id == subject.id else {
      watch.answered(subject.slot)
      return heard
    }
    let isAwaited = watch.begin(subject.slot, record, heard.course)
    return isAwaited || !heard.course.repeats ? heard : Heard(heard.sound, heard.course.once)
  }

  /// Whether it is heard, or shown: nobody is expected to answer what nobody is told of.
  private func isNoticed(_ heard: Heard) -> Bool {
    heard.sound != .none || settings().notifies
  }

  /// What a timer says about how it is heard, or else what the configuration says.
  private func heard(of subject: Event.Subject) -> Heard {
    let plan = keeper.plan(of: subject)
    var sound = settings().sound
    if let word = plan?.sound { sound = RingSound(of: word) }
    if plan?.isSilent == true { sound = .none }
    return Heard(sound, course(plan?.course, of: subject.slot, id: subject.id))
  }

  private func course(_ said: RingPlan.Course?, of slot: Int, id: Int64) -> RingCourse {
    let rings = settings().rings
    // The timer was removed, so its ring sounds once.
    guard keeper.record(slot)?.id == id else { return RingCourse(said, rings) }
    return RingCourse(said, of: keeper.view(slot), rings)
  }

  /// Has a sound heard: by the server, if it is one sound or nobody else could play it, or else by ourselves.
  ///
  /// - Parameter slots: the timers of a digest whose rings last.
  func sing(_ heard: Heard, with popup: Popup, of slots: [Int] = []) {
    let occasion = popup.subject.occasion
    // In a digest, each is heard until it is answered, or has rung for long enough.
    let isEach = occasion == .digest && heard.course.repeats
    let each = slots.map { Ringer.Occasion.timer(slot: $0) }
    output.sing(heard, with: popup, for: isEach ? each : [occasion])
  }

  func isWanted(_ occasion: Ringer.Occasion) -> Bool {
    switch occasion {
    case .timer(let slot): keeper.isRinging(slot)
    case .digest: digest != nil
    case .test: true
    case .remote: false
    }
  }

  // MARK: Rings that nobody answers

  /// That a ring ended without an answer, or that it rings again, is on disk.
  func tellTurn(_ event: Event, of subject: Event.Subject) {
    let slot = subject.slot
    switch event.kind {
    case .unanswered:
      ringer.hush(.timer(slot: slot))
      guard let record = keeper.record(slot), record.id == subject.id else { return }
      watch.ended(slot, record)
      if let card = cards[slot] {
        board.refresh(card.popup)
      } else if let digest, digest.slots.contains(slot) {
        board.refresh(digest.popup)
      }
    case .rangAgain:
      guard keeper.record(slot)?.id == subject.id, keeper.isRinging(slot) else { return }
      let heard = begin(subject)
      if let digest, digest.slots.contains(slot) {
        sing(heard, with: digest.popup, of: [slot])
        return board.show(digest.popup)
      }
      var told = PopupText.Told.ringing
      if let card = cards[slot], !card.told.isBand { told = card.told }
      show(told, of: subject, heard: heard)
      if settings().notifies { server.need() }
    case .undone:
      guard let record = keeper.record(slot), record.id == subject.id else { return }
      // A ring that goes on is left as it is.
      if !watch.knows(slot, record) { ringOn(slot, record, isHeard: false) }
    default: break
    }
  }

  /// The daemon is up again: what rang when the last process ended rings for what remains of its time.
  /// O(timers).
  func ringOn() {
    for slot in 0..<keeper.slotEnd where !watch.isFull {
      guard let record = keeper.record(slot), watch.isMissing(slot) else { continue }
      ringOn(slot, record, isHeard: true)
    }
  }

  /// A timer rings for what remains of its time, if it rings.
  ///
  /// - Parameter isHeard: false: it is silent for that long; if it insists, it is heard then.
  private func ringOn(_ slot: Int, _ record: TimerRecord, isHeard: Bool) {
    guard record.isRinging else { return }
    let view = keeper.view(slot)
    guard let agoUsec = view.firedAgoUsec, view.detail?.wasSkipped != true else { return }
    let heard = heard(
      of: Event.Subject(
        slot: slot, id: record.id, name: keeper.name(slot), previous: record.lastSeq))
    guard isNoticed(heard), let endUsec = heard.course.endUsec else { return }
    let number = record.ringNumber
    if record.isRingOver {
      guard heard.course.insistUsec > 0, number < Limits.ringsOfExpiry else { return }
      // The daemon may have been away when that was due.
      let dueUsec = number * (endUsec + heard.course.insistUsec) - agoUsec
      watch.begin(slot, record, heard.course, isOver: true, afterUsec: max(0, dueUsec))
      return
    }
    // When a later ring began is not known: it has all of its time again.
    let passedUsec = number > 1 ? 0 : agoUsec
    watch.begin(slot, record, heard.course, afterUsec: max(0, endUsec - passedUsec))
    guard isHeard, heard.course.repeats, passedUsec < endUsec else { return }
    output.sing(heard, for: [.timer(slot: slot)], agoUsec: passedUsec)
  }
}
