package import NightjarEngine
package import NightjarModel
package import NightjarSystem
package import NightjarTrust

/// Shows popups and plays sounds when a timer rings.
///
/// Like every client, the notifier sees only committed events. The code that creates it must
/// register it as an observer of the bus. A popup stays until the ring is answered, on this machine
/// or on another one. A button of a popup does the same as a client's request.
package final class Notifier: NotificationObserver {
  /// A timer that has its own popup.
  struct Card {
    let popup: Popup
    /// The band that the popup is about; nil: it is about the open ring.
    var band: Band?
  }

  let loop: EventLoop
  let timers: any TimerAccess
  let clock: LoopClock
  private let wallTime: (_ usec: Int64) -> String
  let settings: () -> DesktopSettings
  // Created last, because they use the notifier.
  private(set) var output: RingOutput!
  private(set) var heldRings: HeldRings!
  private(set) var noticeCheck: NoticeCheck!

  /// The cards of timers with their own popups, by slot.
  var cards: [Int: Card] = [:]
  var digest: Digest?
  /// The timers whose rings fell silent without an answer.
  var unanswered = SlotSet()
  /// The number of the last event of a ring that was handled.
  var lastHeardSeq: Int64 = 0
  private var digestPolicy = DigestPolicy()
  private var lastSpan: Span?
  var ringTest: RingTest?

  /// - Parameters:
  ///   - wallTime: returns an instant as a local time of day, such as `09:30`.
  ///   - settings: returns the settings in force.
  ///   - busAddress: the D-Bus address of the session bus; nil if there is none.
  ///   - note: the note about the popups that are shown, for the next process.
  package init(
    loop: EventLoop, timers: any TimerAccess, clock: LoopClock,
    wallTime: @escaping (_ usec: Int64) -> String, settings: @escaping () -> DesktopSettings,
    busAddress: String? = SessionBus.address, note: Note
  ) throws(SystemError) {
    self.loop = loop
    self.timers = timers
    self.clock = clock
    self.wallTime = wallTime
    self.settings = settings
    output = try RingOutput(
      loop: loop, delegate: self, settings: settings, busAddress: busAddress, note: note)
    heldRings = try HeldRings(loop: loop, clock: clock) { [unowned self] in handle($0) }
    noticeCheck = try NoticeCheck(self)
  }

  var server: NotificationServer { output.server }
  var board: PopupBoard { output.board }
  var ringer: Ringer { output.ringer }

  /// Closes popups and stops sounds, because the daemon exits. The next daemon shows the unanswered
  /// rings again.
  package func end() { output.end() }

  // MARK: Events

  package func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .committed(let events, _): handle(heldRings.holdBack(events))
    case .commitFailed: putBack()
    case .actionsCalled(let actions): noticeCheck.note(commandsOf: Set(actions.map(\.key.seq)))
    case .willEnterForeground(let span):
      heldRings.begin(span: span.id)
      let isStart = span.causes.contains(.down) || span.causes.contains(.reboot)
      // The timers that expired in this span ring first.
      loop.later { [weak self] in isStart ? self?.showAgain(after: span) : self?.showUnseen() }
    case .didEnterBackground, .spanExtended, .spansCorrected, .clockStepped, .zoneChanged,
      .synchronizationChanged, .presenceChanged, .absenceBegan, .absenceEnded, .recorded:
      break
    }
  }

  private func handle(_ events: [Event]) {
    var newRings: [NewRing] = []
    // The last ring of each timer in these events, by slot. A ring that was answered in the same
    // events is removed.
    var last: [Int: Int64] = [:]
    for event in events {
      switch event.kind {
      case .leftBackground(let span): if !span.isAbsence { lastSpan = span }
      case .cameDue(let span, _, let count): if count > 1 { digestPolicy.span = span }
      case .actionEnded(let note, let end):
        if end.outcome.isFailure { warn(of: note, end, name: event.timerName) }
      default: break
      }
      guard let subject = event.subject else { continue }
      let slot = subject.slot
      if let late = event.sounding?.late {
        newRings.append(NewRing(event: event, slot: slot, span: late.span))
        last[slot] = event.seq
        lastHeardSeq = event.seq
        unanswered.remove(slot)
        continue
      }
      switch event.kind {
      case .bandCrossed(_, let band?, _): if !band.text.isEmpty { show(band, of: subject) }
      case .renamedFrom: renamed(subject)
      case .unanswered, .stayedQuiet: fellSilent(slot)
      case .didNotRing(_, _, let quietsRing): if quietsRing { fellSilent(slot) }
      default:
        guard event.answersRing else { continue }
        if !last.isEmpty { last[slot] = nil }
        if isAnythingOpen { ended(slot) }
      }
    }
    guard !newRings.isEmpty else { return }
    let present = newRings.filter { last[$0.slot] == $0.event.seq }
    ring(present)
    noticeCheck.add(present.map { ($0.slot, $0.event.seq, audio(of: $0.event)) })
  }

  private func ring(_ newRings: [NewRing]) {
    let slots = digestPolicy.slotsForDigest(
      of: newRings.map { (slot: $0.slot, span: $0.span) }, singles: Set(cards.keys),
      isInDigest: { digest?.slots.contains($0) ?? false },
      isDigestUp: !(digest?.popup.isAnswered ?? true), nowUsec: clock.now.monotonicUsec)
    for newRing in newRings where !slots.contains(newRing.slot) {
      guard let subject = newRing.event.subject else { continue }
      show(nil, of: subject, audio: audio(of: newRing.event))
    }
    if !slots.isEmpty { gather(newRings.filter { slots.contains($0.slot) }) }
    if settings().notifies { server.need() }
  }

  /// Shows a popup about a loss of data in the database.
  package func warn(ofLoss text: String) {
    guard settings().notifies else { return }
    for popup in board.popups {
      if case .loss = popup.subject { board.close(popup) }
    }
    board.show(Popup(.loss(text)))
    server.need()
  }

  private static func notice(ofLoss text: String) -> Notice {
    Notice(
      summary: "Nightjar: something happened to its database",
      body: text.prefix(1).uppercased() + text.dropFirst() + ".\nnightjar doctor says more.",
      icon: "dialog-error", urgency: .critical, category: "x-nightjar.storage", stays: true)
  }

  // MARK: One by one

  private func show(_ band: Band, of subject: Event.Subject) {
    guard settings().notifies, !(digest?.slots.contains(subject.slot) ?? false),
      cards[subject.slot] != nil || cards.count < DigestPolicy.singles
    else { return }
    show(band, of: subject, audio: nil)
  }

  /// - Parameters:
  ///   - band: the band that the popup is about; nil: it is about the ring.
  ///   - audio: the sound and its course; nil: no sound.
  private func show(_ band: Band?, of subject: Event.Subject, audio: RingAudio?) {
    let slot = subject.slot
    guard settings().notifies else {
      if let audio { output.playSound(audio, for: [.timer(slot: slot)]) }
      return
    }
    let about = Popup.Subject.timer(id: subject.id, slot: slot, name: subject.name)
    var card = cards[slot] ?? Card(popup: Popup(about))
    if card.popup.subject != about {
      board.close(card.popup)
      card = Card(popup: Popup(about))
    }
    card.band = band
    cards[slot] = card
    if let audio { playSound(audio, with: card.popup) }
    board.show(card.popup)
  }

  /// Shows the new name of a timer in its popup. The ring continues.
  private func renamed(_ subject: Event.Subject) {
    if let card = cards[subject.slot] {
      show(card.band, of: subject, audio: nil)
    } else if let digest, digest.slots.contains(subject.slot) {
      board.refresh(digest.popup)
    }
  }

  // MARK: Many at once

  private func gather(_ newRings: [NewRing]) {
    // Only the first sound is played. Playing the sounds of all timers would be too much.
    let all = newRings.compactMap { newRing in
      self.audio(of: newRing.event).map { (newRing.slot, $0) }
    }
    let audio = RingAudio(of: all.lazy.map(\.1))
    guard settings().notifies else {
      if let audio {
        for (slot, own) in all where own.sound != .none {
          output.playSound(RingAudio(audio.sound, own.course), for: [.timer(slot: slot)])
        }
      }
      return
    }
    var digest = digest(for: newRings)
    for newRing in newRings { digest.slots.insert(newRing.slot) }
    // Timers that rang within the same second and already have their own popups join the digest.
    for slot in digestPolicy.takeSingles() where cards[slot].map({ $0.band == nil }) ?? false {
      digest.slots.insert(slot)
    }
    // So do older rings that nobody could see.
    for (slot, card) in cards where card.band == nil && timers.isUnseen(slot) {
      digest.slots.insert(slot)
      digest.span = nil
    }
    for slot in cards.keys.filter({ digest.slots.contains($0) }) {
      if let card = cards.removeValue(forKey: slot) { board.close(card.popup) }
    }
    let now = clock.now.monotonicUsec
    if let audio, now - digest.playedUsec > Digest.pauseUsec || audio.course.repeats {
      digest.playedUsec = now
      playSound(audio, with: digest.popup, of: all.filter { $0.1.course.repeats }.map(\.0))
    }
    self.digest = digest
    board.show(digest.popup)
  }

  /// The digest that is shown; if none is shown, or it was answered, a new one.
  private func digest(for newRings: [NewRing]) -> Digest {
    let span = newRings[0].span
    let isOfOne = span != 0 && newRings.allSatisfy { $0.span == span }
    if var digest, !digest.popup.isAnswered {
      if !isOfOne || digest.span?.id != span { digest.span = nil }
      return digest
    }
    if let digest {
      ringer.silence(.digest)
      board.close(digest.popup)
    }
    return Digest(span: isOfOne && lastSpan?.id == span ? lastSpan : nil)
  }

  // MARK: Answers

  /// Whether there is a popup, a sound or a ring that an answer could end.
  private var isAnythingOpen: Bool {
    !cards.isEmpty || digest != nil || ringer.isPlaying || !unanswered.isEmpty
  }

  /// Ends the popup and the sound of a timer, because its ring was answered, snoozed or stays
  /// quiet, or the timer was removed.
  private func ended(_ slot: Int) {
    unanswered.remove(slot)
    ringer.silence(.timer(slot: slot))
    if let card = cards.removeValue(forKey: slot) {
      board.close(card.popup)
    } else if digest?.slots.remove(slot) ?? false, let digest {
      if digest.slots.isEmpty {
        self.digest = nil
        ringer.silence(.digest)
        board.close(digest.popup)
      } else {
        board.refresh(digest.popup)
      }
    }
  }

  /// Shows again the popups whose button was pressed. Their changes could not be committed, so
  /// their timers still ring.
  private func putBack() {
    let popups = cards.values.map(\.popup) + (digest.map { [$0.popup] } ?? [])
    for popup in popups where popup.isAnswered { board.show(popup) }
  }

  /// Removes a popup that the server has closed or refused.
  private func forget(_ popup: Popup) {
    switch popup.subject {
    case .timer(_, let slot, _): if cards[slot]?.popup === popup { cards[slot] = nil }
    case .digest: if digest?.popup === popup { digest = nil }
    case .test, .loss, .failure, .remote: break
    }
  }
}

// MARK: - Delegate of the output

extension Notifier: RingOutputDelegate {
  func popupChanged(_ event: PopupBoard.Event, of popup: Popup) {
    switch event {
    case .pressed(let key): pressed(popup, key)
    case .dismissed: pressed(popup, "dismiss")
    case .gone: forget(popup)
    case .refused:
      switch popup.subject {
      case .timer(_, let slot, _): noticeCheck.note(refused: [slot])
      case .digest: noticeCheck.note(refused: digest?.slots.prefix(NoticeCheck.atOnce) ?? [])
      case .test, .loss, .failure, .remote: break
      }
      forget(popup)
    case .unheard(let sound): output.playUnheard(sound, of: popup)
    }
  }

  func serverChanged() { ringTest?.endIfComplete() }

  func notice(for popup: Popup) -> Notice? {
    let sound = popup.soundHint
    switch popup.subject {
    case .timer(let id, let slot, let name):
      // If another timer has the slot now, the event that ends this popup's timer will follow soon.
      guard let card = cards[slot], let timer = timers.timer(slot), timer.id == id else {
        return nil
      }
      popup.expiry = timer.ring?.number ?? popup.expiry
      return PopupText(
        name: name, message: timers.message(slot), band: card.band, view: timers.view(slot),
        isUnanswered: unanswered.contains(slot), snoozeUsec: settings().snoozeUsec,
        wallTime: wallTime
      ).notice(sound: sound)
    case .digest:
      digest?.shownSeq = lastHeardSeq
      return digest?.notice(sound: sound, of: timers, unanswered: unanswered)
    case .test: return RingTest.notice(sound: sound)
    case .remote: return nil
    case .loss(let text): return Self.notice(ofLoss: text)
    case .failure(let name, let note, let end): return Self.notice(of: note, end, name: name)
    }
  }
}
