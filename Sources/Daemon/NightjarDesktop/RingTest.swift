package import NightjarInterface
internal import NightjarModel
internal import NightjarSystem

/// A test ring without a timer. It is shown and played like every ring, so that the user learns
/// whether they would notice a ring.
final class RingTest {
  /// How long the test may take, in microseconds. A sound that is still playing then counts as
  /// heard.
  private static let limitUsec: Int64 = 6_000_000

  private unowned let notifier: Notifier
  private let popup = Popup(.test)
  private var done: [(RingCheck) -> Void] = []
  private var timer: TimerSource?
  /// Whether the popup was shown, or why not; nil until this is known.
  private var seen: Result<Void, RingCheck.Lack>?
  private var heard: Result<String?, RingCheck.Lack>?
  /// Whether the server reports that it is paused; nil until it has been asked.
  private var isPaused: Bool?
  private var isOver = false

  init(_ notifier: Notifier, _ done: @escaping (RingCheck) -> Void) throws(SystemError) {
    self.notifier = notifier
    self.done = [done]
    timer = try notifier.loop.timer(on: .monotonic) { [weak self] in self?.end() }
    timer?.arm(atUsec: notifier.clock.now.monotonicUsec + Self.limitUsec)
  }

  deinit { timer?.cancel() }

  static func notice(sound: Notice.Sound) -> Notice {
    Notice(
      summary: "Nightjar", body: "This is how a timer rings.", icon: "appointment-soon",
      category: "x-nightjar.test", sound: sound, isTransient: true)
  }

  /// Adds another caller that gets the result.
  func add(_ done: @escaping (RingCheck) -> Void) { self.done.append(done) }

  func begin() {
    let sound = notifier.settings().sound
    if !notifier.settings().notifies {
      seen = .failure(.notifyIsOff)
    } else {
      notifier.server.need()
    }
    if sound == .none {
      heard = .failure(.soundIsOff)
    } else if notifier.settings().notifies, notifier.output.serverPlays {
      popup.sound = (sound, notifier.clock.now.monotonicUsec + PopupBoard.soundUsec)
    } else {
      let loudness = Loudness(volume: notifier.settings().rings.volume)
      notifier.ringer.play(sound, for: .test, loudness) { [weak self] in self?.played($0) }
    }
    if seen == nil { show() }
    endIfComplete()
  }

  private func show() {
    let isServersSound = popup.sound != nil
    popup.onSent = { [weak self] result in
      guard let self else { return }
      switch result {
      case .success:
        seen = .success(())
        if isServersSound { heard = .success(nil) }
        askWhetherPaused()
      case .failure(let error): seen = .failure(RingCheck.Lack(.failing, "\(error)"))
      }
      endIfComplete()
    }
    notifier.board.show(popup)
  }

  /// Asks the server whether the user has paused it. A paused server accepts a notification and
  /// does not show it.
  private func askWhetherPaused() {
    notifier.server.askWhetherPaused { [weak self] isPaused in
      self?.isPaused = isPaused
      self?.endIfComplete()
    }
  }

  private func played(_ outcome: Ringer.Outcome) {
    switch outcome {
    case .played(let player): heard = .success(player)
    case .failed(let reason):
      let lack = notifier.ringer.playerStatus(for: notifier.settings().sound).lack
      heard = .failure(RingCheck.Lack(lack?.word ?? .failing, Sentence(reason)))
    }
    endIfComplete()
  }

  /// Continues the test after a new partial result.
  func endIfComplete() {
    if seen == nil, let absence = notifier.output.absence { seen = .failure(absence) }
    guard let seen, heard != nil else { return }
    if case .success = seen, isPaused == nil { return }
    end()
  }

  private func end() {
    guard !isOver else { return }
    isOver = true
    notifier.ringTest = nil
    var check = notifier.ringCheck
    check.unseen =
      switch seen {
      case .success: nil
      case .failure(let lack): lack
      case nil: RingCheck.Lack(.failing, "the notification server does not answer")
      }
    check.paused = isPaused ?? false
    switch heard {
    case .success(let player): (check.unheard, check.player) = (nil, player ?? check.player)
    case .failure(let lack): (check.unheard, check.player) = (lack, nil)
    case nil where notifier.ringer.isPlaying: check.unheard = nil
    case nil:
      (check.unheard, check.player) = (RingCheck.Lack(.failing, "no player has finished"), nil)
    }
    // Without this, the popup would appear when a server starts later, long after the test.
    if check.unseen != nil { notifier.board.close(popup) } else { notifier.board.forget(popup) }
    for done in done { done(check) }
  }
}

extension RingCheck.Lack {
  fileprivate static let notifyIsOff = Self(.off, "the configuration says notify = false")
  static let soundIsOff = Self(.off, "the configuration says sound = false")
}

extension Notifier {
  /// Whether a ring would be noticed, as far as is known without a test.
  package var ringCheck: RingCheck {
    var check = RingCheck()
    if let identity = server.identity {
      check.server = [identity.name, identity.version].filter { !$0.isEmpty }
        .joined(separator: " ")
    }
    if !settings().notifies {
      check.unseen = .notifyIsOff
    } else if case .asking = server.state {
      check.unseen = RingCheck.Lack(
        .asking, "the session bus is still being asked for a notification server")
    } else {
      check.unseen = output.absence
    }
    if settings().sound == .none {
      check.unheard = .soundIsOff
    } else if check.unseen != nil || !output.serverPlays {
      (check.player, check.unheard) = ringer.playerStatus(for: settings().sound)
    }
    return check
  }

  /// Begins a test ring. `done` is called once, within some seconds.
  package func testRing(_ done: @escaping (RingCheck) -> Void) {
    if let ringTest { return ringTest.add(done) }
    do {
      let ringTest = try RingTest(self, done)
      self.ringTest = ringTest
      // In a later iteration, because the test may call `done`, and the caller is not ready for
      // that now.
      loop.later { ringTest.begin() }
    } catch {
      loop.later { done(RingCheck(.failing, "\(error)")) }
    }
  }
}
