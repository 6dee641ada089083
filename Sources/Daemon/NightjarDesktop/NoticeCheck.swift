internal import NightjarEngine
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem

/// Looks, a few seconds after a ring began to sound, whether the user could see and hear it. If the
/// timer asked for more than happened, or if nobody was told, the ledger gets an event.
final class NoticeCheck {
  /// When a ring is looked at, in microseconds after its beginning. By then a server has accepted
  /// the popup, and a player that fails has failed.
  static let afterUsec = PopupBoard.soundUsec + 1_000_000
  /// The most rings that wait to be looked at. Of more at once the first are enough to know.
  static let atOnce = 1000

  /// A ring that begins to sound. `seq` is the number of the event with which it began.
  typealias Begun = (slot: Int, seq: Int64, audio: RingAudio?)

  private struct Pending {
    let slot: Int
    /// The number of the event with which the ring began to sound.
    let seq: Int64
    /// Nil: its time was over at once.
    let audio: RingAudio?
    let dueUsec: Int64
    /// Whether the user had paused the notification server when it began; nil: not known.
    var isPaused: Bool?
    /// Whether the ring called a command.
    var hasCommand = false
    /// Whether the notification server refused its popup.
    var isRefused = false
  }

  private unowned let notifier: Notifier
  private var timer: TimerSource?
  private var pending: [Pending] = []

  init(_ notifier: Notifier) throws(SystemError) {
    self.notifier = notifier
    timer = try notifier.loop.timer(on: .monotonic) { [unowned self] in timePassed() }
  }

  deinit { timer?.cancel() }

  /// Adds rings that begin to sound now.
  func add(_ rings: [Begun]) {
    let dueUsec = notifier.clock.now.monotonicUsec + Self.afterUsec
    let added = rings.prefix(max(0, Self.atOnce - pending.count)).map {
      Pending(slot: $0.slot, seq: $0.seq, audio: $0.audio, dueUsec: dueUsec)
    }
    guard !added.isEmpty else { return }
    pending += added
    arm()
    guard notifier.server.identity != nil else { return }
    let seqs = Set(added.map(\.seq))
    notifier.server.askWhetherPaused { [weak self] isPaused in
      guard let self else { return }
      for index in pending.indices where seqs.contains(pending[index].seq) {
        pending[index].isPaused = isPaused
      }
    }
  }

  /// Notes that the events with these numbers called commands.
  func note(commandsOf seqs: Set<Int64>) {
    for index in pending.indices where seqs.contains(pending[index].seq) {
      pending[index].hasCommand = true
    }
  }

  func note(refused slots: [Int]) {
    for index in pending.indices where slots.contains(pending[index].slot) {
      pending[index].isRefused = true
    }
  }

  private func arm() { timer?.arm(atUsec: pending.first?.dueUsec) }

  private func timePassed() {
    let now = notifier.clock.now.monotonicUsec
    let due = pending.filter { $0.dueUsec <= now }
    pending.removeAll { $0.dueUsec <= now }
    arm()
    guard due.contains(where: { ring(of: $0) != nil }) else { return }
    let check = notifier.ringCheck
    // A server that came after the beginning of a ring is asked now.
    guard check.unseen == nil, due.contains(where: { $0.isPaused == nil }) else {
      return judge(due, check, isPaused: false)
    }
    notifier.server.askWhetherPaused { [weak self] in self?.judge(due, check, isPaused: $0) }
  }

  /// The ring, if nobody has answered it and it has not sounded again since.
  private func ring(of one: Pending) -> Ring? {
    notifier.timers.timer(one.slot)?.ring.flatMap { $0.sinceEvent == one.seq ? $0 : nil }
  }

  private func judge(_ due: [Pending], _ check: RingCheck, isPaused: Bool) {
    for one in due where ring(of: one)?.isSnoozed == false {
      if let unnoticed = unnoticed(one, check, isPaused: one.isPaused ?? isPaused) {
        notifier.timers.record(unnoticed, one.slot, seq: one.seq)
      }
    }
  }

  /// What the ring lacked; nil: nothing that its timer asked for, and somebody was told.
  private func unnoticed(_ one: Pending, _ check: RingCheck, isPaused: Bool) -> Unnoticed? {
    let paused = RingCheck.Lack(.paused, "the user has paused the notification server")
    var unseen = check.unseen
    if unseen == nil, one.isRefused {
      unseen = RingCheck.Lack(.failing, "the notification server refused the popup")
    }
    if unseen == nil, isPaused { unseen = paused }
    let sound = one.audio?.sound ?? .none
    var unheard: RingCheck.Lack?
    if sound == .none {
      unheard = notifier.settings().sound == .none ? .soundIsOff : nil
    } else if isPaused, one.audio?.course.disturbs == false {
      unheard = unseen?.word == .paused ? RingCheck.Lack(.paused, nil) : paused
    } else if check.unseen != nil || !notifier.output.serverPlays {
      unheard = notifier.ringer.playerStatus(for: sound).lack
    }
    let lacks = [unseen, unheard].compactMap { $0 }
    let isTold = unseen == nil || unheard == nil && sound != .none || one.hasCommand
    // Where there is no desktop, a command is enough.
    let isEnough = lacks.allSatisfy { $0.word == .off || one.hasCommand && $0.word == .missing }
    guard !(isTold && isEnough) else { return nil }
    var found = RingCheck()
    (found.unseen, found.unheard) = (unseen, unheard)
    return Unnoticed(
      unseen: unseen.flatMap { RingLack($0.word) }, unheard: unheard.flatMap { RingLack($0.word) },
      reason: found.reason?.description ?? "")
  }
}

extension RingLack {
  /// Nil: the word is not one of this daemon's.
  fileprivate init?(_ word: Wire.RingLack) {
    guard let lack = Self.allCases.first(where: { "\($0.name)" == word.rawValue }) else {
      return nil
    }
    self = lack
  }
}
