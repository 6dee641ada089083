internal import NightjarEngine
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem

/// The sound of a ring, and its course: how long, how loud and how often it sounds.
struct Heard {
  let sound: RingSound
  let course: RingCourse

  init(_ sound: RingSound, _ course: RingCourse) { (self.sound, self.course) = (sound, course) }

  /// The sound and course for several rings together: the first sound that is not silent, with the
  /// longest of the courses. Nil if all rings are silent.
  init?(of all: some Sequence<Heard>) {
    var first: Heard?
    for one in all where one.sound != .none {
      guard let best = first else {
        first = one
        continue
      }
      // Prefer a course that sounds even while the server is paused. Otherwise, prefer the longer
      // course.
      let isBetter =
        (one.course.disturbs ? 1 : 0, one.course.forUsec)
        > (best.course.disturbs ? 1 : 0, best.course.forUsec)
      if isBetter { first = Heard(best.sound, one.course) }
    }
    guard let first else { return nil }
    self = first
  }
}

/// Choose the sound of a ring and its duration.
extension Notifier {
  /// Begins a ring. If the ring lasts longer than one sound, or is repeated until the user answers,
  /// the notifier expects an answer from now on.
  func begin(_ subject: Event.Subject) -> Heard {
    let heard = heard(of: subject)
    guard isNoticed(heard), let record = keeper.record(subject.slot), record.id == subject.id else {
      watch.answered(subject.slot)
      return heard
    }
    let isAwaited = watch.begin(subject.slot, record, heard.course)
    return isAwaited || !heard.course.repeats ? heard : Heard(heard.sound, heard.course.once)
  }

  /// Whether the ring has a sound or a popup. Without either, the user cannot answer it.
  private func isNoticed(_ heard: Heard) -> Bool {
    heard.sound != .none || settings().notifies
  }

  /// The sound that the timer specifies, or else the configured sound.
  private func heard(of subject: Event.Subject) -> Heard {
    let plan = keeper.plan(of: subject)
    var sound = settings().sound
    if let word = plan?.sound { sound = RingSound(of: word) }
    if plan?.isSilent == true { sound = .none }
    return Heard(sound, course(plan?.course, of: subject.slot, id: subject.id))
  }

  private func course(_ said: RingPlan.Course?, of slot: Int, id: Int64) -> RingCourse {
    let rings = settings().rings
    // If the timer was removed, its ring sounds once.
    guard keeper.record(slot)?.id == id else { return RingCourse(said, rings) }
    return RingCourse(said, of: keeper.view(slot), rings)
  }

  /// Plays a sound for the rings that a popup shows.
  ///
  /// - Parameter slots: in a digest, the timers whose sound is repeated.
  func sing(_ heard: Heard, with popup: Popup, of slots: [Int] = []) {
    let occasion = popup.subject.occasion
    // In a digest, the sound is repeated until each ring is answered or its time is over.
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

  // MARK: Rings without an answer

  /// Handles a committed event that may change a ring: a ring ended without an answer, a timer
  /// rings again for the same expiry, or a change was undone.
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
      // Do nothing if the ring is already watched.
      if !watch.knows(slot, record) { ringOn(slot, record, isHeard: false) }
    default: break
    }
  }

  /// After a start, continues the rings of the last process for the rest of their time. O(timers).
  func ringOn() {
    for slot in 0..<keeper.slotEnd where !watch.isFull {
      guard let record = keeper.record(slot), watch.isMissing(slot) else { continue }
      ringOn(slot, record, isHeard: true)
    }
  }

  /// Continues a ring of the last process for the rest of its time, if the timer still rings.
  ///
  /// - Parameter isHeard: if false, the ring makes no sound for the rest of its time. If the ring
  ///   is then repeated, the next ring has a sound.
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
      // This time may have passed while the daemon did not run.
      let dueUsec = number * (endUsec + heard.course.insistUsec) - agoUsec
      watch.begin(slot, record, heard.course, isOver: true, afterUsec: max(0, dueUsec))
      return
    }
    // For a second or later ring of an expiry, the time of its beginning is not stored. So such a
    // ring begins again.
    let passedUsec = number > 1 ? 0 : agoUsec
    watch.begin(slot, record, heard.course, afterUsec: max(0, endUsec - passedUsec))
    guard isHeard, heard.course.repeats, passedUsec < endUsec else { return }
    output.sing(heard, for: [.timer(slot: slot)], agoUsec: passedUsec)
  }
}
