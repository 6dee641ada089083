package import NightjarModel
package import NightjarSystem
package import NightjarTrust

/// Shows popups and plays sounds for the rings of other machines' timers.
///
/// The caller decides when a ring begins and ends. A popup stays until its ring ends or the user
/// answers it. `onAnswer` then reports the answer to the caller.
package final class RemoteNotifier {
  /// How the user answered a ring. If the user closes a popup, that dismisses the ring.
  package enum Answer: Equatable, Sendable {
    case dismissed
    case snoozed(byUsec: Int64)
  }

  /// A ring that has not ended.
  private struct Card {
    /// The ring, with texts that are safe to show.
    let ring: RemoteRing
    /// The sequence number of the ring. A digest lists the rings in the order of these numbers.
    let number: Int
    /// When the ring began on this machine, on CLOCK_REALTIME.
    let begunUsec: Int64
    /// Whether the ring has not begun yet. It begins at the end of the loop iteration, together
    /// with all other new rings.
    var isDue = true
    /// The popup of this ring alone; nil: it has none.
    var popup: Popup?
    /// When the time of the ring is over, on CLOCK_BOOTTIME; nil: it is over already, or no answer
    /// is expected.
    var endUsec: Int64?
    /// Whether the time of the ring has passed without an answer.
    var isOver = false
  }

  /// Several rings in one popup.
  private struct SharedPopup {
    let popup = Popup(.digest)
    /// The rings that have not ended.
    var keys: Set<Int> = []
    /// When the sound of this popup was last played, on CLOCK_MONOTONIC.
    var playedUsec = Int64.min / 2
  }

  private let loop: EventLoop
  private let wallTime: (_ usec: Int64) -> String
  private let settings: () -> DesktopSettings
  private let onAnswer: (_ key: Int, Answer) -> Void
  // Created last, because both use the notifier.
  private(set) var output: RingOutput!
  private var endTimer: TimerSource?

  private var cards: [Int: Card] = [:]
  private var lastNumber = 0
  /// The keys of the rings that begin at the end of the loop iteration, in the order of the calls.
  private var due: [Int] = []
  private var digest: SharedPopup?
  private var digestPolicy = DigestPolicy()

  /// - Parameters:
  ///   - wallTime: returns an instant as a local time of day, such as `09:30`.
  ///   - settings: returns the settings in force.
  ///   - busAddress: the D-Bus address of the session bus; nil if there is none.
  ///   - note: the note about the popups that are shown, for the next process.
  ///   - onAnswer: called when the user has answered a ring. The ring has ended by then, and its
  ///     key can be used again.
  package init(
    loop: EventLoop, wallTime: @escaping (_ usec: Int64) -> String,
    settings: @escaping () -> DesktopSettings, busAddress: String? = SessionBus.address,
    note: Note? = nil,
    onAnswer: @escaping (_ key: Int, Answer) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.wallTime = wallTime
    self.settings = settings
    self.onAnswer = onAnswer
    output = try RingOutput(
      loop: loop, delegate: self, settings: settings, busAddress: busAddress, note: note)
    endTimer = try loop.timer(on: .boottime) { [unowned self] in timePassed() }
  }

  deinit { endTimer?.cancel() }

  // MARK: Rings

  /// Begins a ring at the end of this loop iteration.
  ///
  /// - Parameter key: the caller's number for the ring. If a ring with this number has not ended,
  ///   it is ended first.
  package func ring(_ key: Int, _ ring: RemoteRing) {
    end(key)
    lastNumber += 1
    cards[key] = Card(
      ring: ring.visible, number: lastNumber, begunUsec: loop.now.realtimeUsec)
    if due.isEmpty { loop.later { [weak self] in self?.begin() } }
    due.append(key)
  }

  /// Ends a ring with its popup and its sound, because it was answered or its timer has changed.
  /// Does nothing if the ring has ended.
  package func end(_ key: Int) {
    guard let card = cards.removeValue(forKey: key) else { return }
    output.ringer.silence(.remote(key: key))
    if let popup = card.popup { output.board.close(popup) }
    guard self.digest?.keys.remove(key) != nil, let digest = self.digest else { return }
    if digest.keys.isEmpty {
      self.digest = nil
      output.ringer.silence(.digest)
      output.board.close(digest.popup)
    } else {
      output.board.refresh(digest.popup)
    }
  }

  /// Closes all popups and stops all sounds, because the process exits.
  package func end() {
    endTimer?.arm(atUsec: nil)
    (cards, due, digest) = ([:], [], nil)
    output.end()
  }

  /// Begins all new rings of the iteration together, because `digestPolicy` has to know how many
  /// there are.
  private func begin() {
    let now = loop.now.boottimeUsec
    let notifies = settings().notifies
    var new: [Int] = []
    // A ring may have ended since it was added, and another ring may have its key.
    for key in due where cards[key]?.isDue ?? false {
      guard let card = cards[key] else { continue }
      new.append(key)
      cards[key]?.isDue = false
      let audio = self.audio(of: card.ring)
      guard notifies || audio.sound != .none else { continue }
      cards[key]?.endUsec = audio.course.repeats ? now + audio.course.forUsec : nil
    }
    due = []
    guard !new.isEmpty else { return }
    if notifies { show(new) }
    playSound(new)
    arm()
  }

  private func audio(of ring: RemoteRing) -> RingAudio {
    let settings = self.settings()
    return RingAudio(
      ring.isSilent ? .none : settings.sound, RingCourse(of: ring.kind, settings.rings))
  }

  // MARK: Duration

  /// Arms the timer for the ring whose time ends first. O(rings).
  private func arm() { endTimer?.arm(atUsec: cards.values.compactMap(\.endUsec).min()) }

  private func timePassed() {
    let now = loop.now.boottimeUsec
    for (key, card) in cards where card.endUsec.map({ $0 <= now }) ?? false {
      cards[key]?.endUsec = nil
      cards[key]?.isOver = true
      output.ringer.silence(.remote(key: key))
      if let popup = card.popup {
        output.board.refresh(popup)
      } else if let digest, digest.keys.contains(key) {
        output.board.refresh(digest.popup)
      }
    }
    arm()
  }

  // MARK: Popups

  private func show(_ new: [Int]) {
    let shared = digestPolicy.slotsForDigest(
      of: new.map { (slot: $0, span: 0) }, singles: Set(cards.filter { $1.popup != nil }.keys),
      isInDigest: { _ in false }, isDigestUp: digest != nil, nowUsec: loop.now.monotonicUsec)
    for key in new where !shared.contains(key) {
      let popup = Popup(.remote(key: key))
      cards[key]?.popup = popup
      output.board.show(popup)
    }
    if !shared.isEmpty { gather(shared) }
    output.server.need()
  }

  private func gather(_ shared: Set<Int>) {
    var digest = self.digest ?? SharedPopup()
    digest.keys.formUnion(shared)
    // Rings that began within the same second and already have their own popups join the digest.
    for key in digestPolicy.takeSingles() {
      guard let popup = cards[key]?.popup else { continue }
      cards[key]?.popup = nil
      output.board.close(popup)
      digest.keys.insert(key)
    }
    self.digest = digest
    output.board.show(digest.popup)
  }

  // MARK: Sounds

  private func playSound(_ new: [Int]) {
    let settings = self.settings()
    let now = loop.now.monotonicUsec
    let digest = settings.notifies ? self.digest : nil
    let isRecent = digest.map { now - $0.playedUsec <= Digest.pauseUsec } ?? false
    // The rings without their own popup, by the kind of timer: the settings give all rings of a
    // kind the same loudness and duration.
    var gathered: [TimerKind: [Ringer.Occasion]] = [:]
    for key in new {
      guard let card = cards[key], !card.ring.isSilent else { continue }
      if let popup = card.popup {
        output.playSound(audio(of: card.ring), with: popup, for: [.remote(key: key)])
      } else {
        gathered[card.ring.kind, default: []].append(.remote(key: key))
      }
    }
    for (kind, occasions) in gathered {
      let audio = RingAudio(settings.sound, RingCourse(of: kind, settings.rings))
      guard let digest else {
        output.playSound(audio, for: occasions)
        continue
      }
      guard audio.course.repeats || !isRecent else { continue }
      self.digest?.playedUsec = now
      output.playSound(audio, with: digest.popup, for: occasions)
    }
  }

  // MARK: Answers

  private func pressed(_ popup: Popup, _ button: String) {
    switch button {
    case "snooze": answer(popup, .snoozed(byUsec: settings().snoozeUsec))
    case "default", "dismiss": answer(popup, .dismissed)
    default: break
    }
  }

  private func answer(_ popup: Popup, _ answer: Answer) {
    // The caller may end other rings in its handler.
    for key in keys(of: popup) where cards[key] != nil {
      end(key)
      onAnswer(key, answer)
    }
  }

  /// The keys of the rings that a popup shows, in the order in which they began.
  private func keys(of popup: Popup) -> [Int] {
    switch popup.subject {
    case .remote(let key): return cards[key]?.popup === popup ? [key] : []
    case .digest:
      guard let digest, digest.popup === popup else { return [] }
      return digest.keys.sorted { number(of: $0) < number(of: $1) }
    case .timer, .test, .loss, .failure: return []
    }
  }

  private func number(of key: Int) -> Int { cards[key]?.number ?? 0 }

  /// Forgets a popup that the server has closed or refused. Its rings continue until they end.
  private func forget(_ popup: Popup) {
    switch popup.subject {
    case .remote(let key): if cards[key]?.popup === popup { cards[key]?.popup = nil }
    case .digest: if digest?.popup === popup { digest = nil }
    case .timer, .test, .loss, .failure: break
    }
  }

  private func text(of card: Card) -> RemoteText {
    RemoteText(
      ring: card.ring, begunUsec: card.begunUsec, isOver: card.isOver,
      snoozeUsec: settings().snoozeUsec, wallTime: wallTime)
  }
}

// MARK: - Delegate of the output

extension RemoteNotifier: RingOutputDelegate {
  func popupChanged(_ event: PopupBoard.Event, of popup: Popup) {
    switch event {
    case .pressed(let button): pressed(popup, button)
    case .dismissed: answer(popup, .dismissed)
    case .gone, .refused: forget(popup)
    case .unheard(let sound): output.playUnheard(sound, of: popup)
    }
  }

  func serverChanged() {}

  func notice(for popup: Popup) -> Notice? {
    let texts = keys(of: popup).compactMap { key in cards[key].map { text(of: $0) } }
    guard let first = texts.first else { return nil }
    return popup.subject == .digest
      ? RemoteText.digest(texts, sound: popup.soundHint) : first.notice(sound: popup.soundHint)
  }

  func isWanted(_ occasion: Ringer.Occasion, _ course: RingCourse) -> Bool {
    switch occasion {
    case .remote(let key): cards[key].map { !$0.isOver } ?? false
    case .digest: digest != nil
    case .timer, .test: false
    }
  }
}
