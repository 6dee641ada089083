internal import NightjarEngine
internal import NightjarInterface
internal import NightjarModel
internal import NightjarParameters
internal import NightjarSystem

/// The sound of a ring, and its course: how long, how loud and how often it sounds.
struct RingAudio {
  let sound: RingSound
  let course: RingCourse

  init(_ sound: RingSound, _ course: RingCourse) { (self.sound, self.course) = (sound, course) }

  /// The sound and course for several rings together: the first sound that is not silent, with the
  /// longest of the courses. Nil if all rings are silent.
  init?(of all: some Sequence<RingAudio>) {
    var first: RingAudio?
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
      if isBetter { first = RingAudio(best.sound, one.course) }
    }
    guard let first else { return nil }
    self = first
  }
}

/// Choose the sound of a ring and its duration.
extension Notifier {
  /// Begins a ring. If the ring lasts longer than one sound, or is repeated until the user answers,
  /// the notifier expects an answer from now on.
  func begin(_ subject: Event.Subject) -> RingAudio {
    let audio = audio(of: subject)
    guard isNoticed(audio), let timer = timers.timer(subject.slot), timer.id == subject.id else {
      watch.answered(subject.slot)
      return audio
    }
    let isAwaited = watch.begin(subject.slot, timer, audio.course)
    return isAwaited || !audio.course.repeats ? audio : RingAudio(audio.sound, audio.course.once)
  }

  /// Whether the ring has a sound or a popup. Without either, the user cannot answer it.
  private func isNoticed(_ audio: RingAudio) -> Bool {
    audio.sound != .none || settings().notifies
  }

  /// The sound that the timer specifies, or else the configured sound.
  private func audio(of subject: Event.Subject) -> RingAudio {
    let ring = timers.plan(of: subject)?.state
    var sound = settings().sound
    if let word = ring?.sound { sound = RingSound(of: word) }
    if ring?.silent == true { sound = .none }
    return RingAudio(sound, course(ring, of: subject.slot, id: subject.id))
  }

  private func course(_ said: Wire.RingState?, of slot: Int, id: Int64) -> RingCourse {
    let rings = settings().rings
    // If the timer was removed, its ring sounds once.
    guard timers.timer(slot)?.id == id else { return RingCourse(said, rings) }
    return RingCourse(said, of: timers.view(slot), rings)
  }

  /// Plays a sound for the rings that a popup shows.
  ///
  /// - Parameter slots: in a digest, the timers whose sound is repeated.
  func playSound(_ audio: RingAudio, with popup: Popup, of slots: [Int] = []) {
    let occasion = popup.subject.occasion
    // In a digest, the sound is repeated until each ring is answered or its time is over.
    let isEach = occasion == .digest && audio.course.repeats
    let each = slots.map { Ringer.Occasion.timer(slot: $0) }
    output.playSound(audio, with: popup, for: isEach ? each : [occasion])
  }

  func isWanted(_ occasion: Ringer.Occasion) -> Bool {
    switch occasion {
    case .timer(let slot): timers.isRinging(slot)
    case .digest: digest != nil
    case .test: true
    case .remote: false
    }
  }

  // MARK: Rings without an answer

  /// Handles a committed event that may change a ring: a ring ended without an answer, a timer
  /// rings again for the same expiry, or a change was undone.
  func ringPhaseChanged(_ event: Event, of subject: Event.Subject) {
    let slot = subject.slot
    switch event.kind {
    case .unanswered:
      ringer.silence(.timer(slot: slot))
      guard let timer = timers.timer(slot), timer.id == subject.id else { return }
      watch.ended(slot, timer)
      if let card = cards[slot] {
        board.refresh(card.popup)
      } else if let digest, digest.slots.contains(slot) {
        board.refresh(digest.popup)
      }
    case .rangAgain:
      guard timers.timer(slot)?.id == subject.id, timers.isRinging(slot) else { return }
      let audio = begin(subject)
      if let digest, digest.slots.contains(slot) {
        playSound(audio, with: digest.popup, of: [slot])
        return board.show(digest.popup)
      }
      var trigger = PopupText.Trigger.ringing
      if let card = cards[slot], !card.trigger.isBand { trigger = card.trigger }
      show(trigger, of: subject, audio: audio)
      if settings().notifies { server.need() }
    case .undone:
      guard let timer = timers.timer(slot), timer.id == subject.id else { return }
      if !watch.knows(slot, timer) { resumeRing(slot, timer, isHeard: false) }
    default: break
    }
  }

  /// Shows unanswered rings again after a restart. O(timers).
  func showAgain() {
    guard settings().notifies else { return }
    let slots = (0..<timers.slotEnd).filter { slot in
      timers.isRinging(slot) && cards[slot] == nil && !(digest?.slots.contains(slot) ?? false)
        && timers.timer(slot)?.course.wasSilent != true
    }
    guard digest == nil, slots.count <= DigestPolicy.singlesAtOnce else {
      var all = digest ?? Digest(span: nil)
      for slot in slots { all.slots.insert(slot) }
      digest = all
      return board.show(all.popup)
    }
    for slot in slots {
      guard let id = timers.timer(slot)?.id else { continue }
      let popup = Popup(.timer(id: id, slot: slot, name: timers.name(slot)))
      cards[slot] = Card(popup: popup, trigger: .ringing)
      board.show(popup)
    }
  }

  /// After a start, continues the rings of the last process for the rest of their time. O(timers).
  func resumeRings() {
    for slot in 0..<timers.slotEnd where !watch.isFull {
      guard let timer = timers.timer(slot), watch.isMissing(slot) else { continue }
      resumeRing(slot, timer, isHeard: true)
    }
  }

  /// Continues a ring of the last process for the rest of its time, if the timer still rings.
  ///
  /// - Parameter isHeard: if false, the ring makes no sound for the rest of its time. If the ring
  ///   is then repeated, the next ring has a sound.
  private func resumeRing(_ slot: Int, _ timer: Timer, isHeard: Bool) {
    guard let ring = timer.lastRing, !timer.course.wasSilent,
      let agoUsec = timers.view(slot).firedAgoUsec
    else { return }
    let audio = audio(
      of: Event.Subject(
        slot: slot, id: timer.id, name: timers.name(slot), previous: timer.lastEvent))
    guard isNoticed(audio), let endUsec = audio.course.endUsec else { return }
    let number = ring.number
    if ring.hasEnded {
      guard audio.course.insistUsec > 0, number < Limits.ringsOfExpiry else { return }
      // This time may have passed while the daemon did not run.
      let dueUsec = number * (endUsec + audio.course.insistUsec) - agoUsec
      watch.begin(slot, timer, audio.course, isOver: true, afterUsec: max(0, dueUsec))
      return
    }
    // For a second or later ring of an expiry, the time of its beginning is not stored. So such a
    // ring begins again.
    let passedUsec = number > 1 ? 0 : agoUsec
    watch.begin(slot, timer, audio.course, afterUsec: max(0, endUsec - passedUsec))
    guard isHeard, audio.course.repeats, passedUsec < endUsec else { return }
    output.playSound(audio, for: [.timer(slot: slot)], agoUsec: passedUsec)
  }
}
