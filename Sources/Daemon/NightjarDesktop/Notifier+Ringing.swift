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

extension Notifier {
  /// The sound of a ring from the time of the event on; nil: its time is over, or it was answered.
  func audio(of event: Event) -> RingAudio? {
    guard let subject = event.subject, let ring = event.sounding?.ring,
      let timer = timers.timer(subject.slot), timer.id == subject.id,
      ring.forUsec == 0 || timer.ring?.isSounding == true
    else { return nil }
    return audio(of: subject.slot, timer, forUsec: ring.forUsec)
  }

  /// The sound that the timer specifies, or else the configured sound.
  private func audio(of slot: Int, _ timer: Timer, forUsec: Int64) -> RingAudio {
    let subject = Event.Subject(
      slot: slot, id: timer.id, name: timer.name, previous: timer.lastEvent)
    let ring = timers.plan(of: subject)?.state
    var sound = settings().sound
    if let word = ring?.sound { sound = RingSound(of: word) }
    if ring?.silent == true { sound = .none }
    return RingAudio(
      sound, RingCourse(ring, forUsec: forUsec, of: timer.spec.kind, settings().rings))
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

  func isWanted(_ occasion: Ringer.Occasion, _ course: RingCourse) -> Bool {
    switch occasion {
    case .timer(let slot):
      timers.timer(slot)?.ring.map { $0.isSounding || !course.repeats } ?? false
    case .digest: digest != nil
    case .test: true
    case .remote: false
    }
  }

  /// Ends the sound of a ring, because its time is over. The popup stays.
  func fellSilent(_ slot: Int) {
    ringer.silence(.timer(slot: slot))
    unanswered.insert(slot)
    refresh(slot)
  }

  /// Updates the popup that shows a timer, if there is one.
  func refresh(_ slot: Int) {
    if let card = cards[slot] {
      board.refresh(card.popup)
    } else if let digest, digest.slots.contains(slot) {
      board.refresh(digest.popup)
    }
  }

  /// After a start, shows the open rings of the last process again, and plays those that sound for
  /// the rest of their time. A ring that began just before the last process was killed may not have
  /// been shown, so it rings as if it were new. O(timers).
  ///
  /// - Parameter span: the time in which no daemon ran.
  func showAgain(after span: Span) {
    var shown: [Int] = []
    var (begun, once): ([NoticeCheck.Begun], [NoticeCheck.Begun]) = ([], [])
    for slot in 0..<timers.slotEnd {
      // An event that is not committed yet shows its ring later.
      guard let timer = timers.timer(slot), let ring = timer.ring, !ring.isSnoozed,
        timers.isCommitted(ring.sinceEvent)
      else { continue }
      lastHeardSeq = max(lastHeardSeq, ring.sinceEvent)
      shown.append(slot)
      if ring.isSounding {
        if let audio = playRest(slot, timer) { begun.append((slot, ring.sinceEvent, audio)) }
        continue
      }
      unanswered.insert(slot)
      let agoUsec = timers.view(slot).ringAgoUsec ?? .max
      if span.estimated, !ring.stayedQuiet, agoUsec - span.elapsedUsec < NoticeCheck.afterUsec {
        once.append((slot, ring.sinceEvent, audio(of: slot, timer, forUsec: 0)))
      }
    }
    if let audio = RingAudio(of: once.lazy.compactMap(\.audio)) {
      output.playSound(audio, for: [.timer(slot: once[0].slot)])
    }
    noticeCheck.add(begun + once)
    showPopups(of: shown)
  }

  /// After a sleep, shows the open rings again that nobody could see. O(timers).
  func showUnseen() {
    showPopups(of: (0..<timers.slotEnd).filter { timers.isUnseen($0) && timers.isRinging($0) })
  }

  /// Shows the open rings of those timers that have no popup.
  private func showPopups(of slots: [Int]) {
    let slots = slots.filter { cards[$0] == nil && !(digest?.slots.contains($0) ?? false) }
    guard settings().notifies, !slots.isEmpty else { return }
    guard digest == nil, slots.count <= DigestPolicy.singlesAtOnce else {
      var all = digest ?? Digest(span: nil)
      for slot in slots { all.slots.insert(slot) }
      digest = all
      return board.show(all.popup)
    }
    for slot in slots {
      guard let timer = timers.timer(slot) else { continue }
      let popup = Popup(.timer(id: timer.id, slot: slot, name: timer.name))
      cards[slot] = Card(popup: popup)
      board.show(popup)
    }
  }

  /// - Returns: the sound; nil: its time is over, or it is not repeated.
  private func playRest(_ slot: Int, _ timer: Timer) -> RingAudio? {
    let view = timers.view(slot)
    guard let leftUsec = view.ringLeftUsec, leftUsec > 0, let agoUsec = view.ringAgoUsec else {
      return nil
    }
    let audio = audio(of: slot, timer, forUsec: agoUsec + leftUsec)
    guard audio.course.repeats else { return nil }
    output.playSound(audio, for: [.timer(slot: slot)], agoUsec: agoUsec)
    return audio
  }
}
