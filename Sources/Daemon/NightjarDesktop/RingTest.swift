package import NightjarModel
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
  private var seen: Result<Void, Failure>?
  private var heard: Result<String?, Failure>?
  /// Whether the server reports that it is paused; nil until it has been asked.
  private var isPaused: Bool?
  private var isOver = false

  struct Failure: Error {
    var reason: String
  }

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
      seen = .failure(Failure(reason: "the configuration says notify = false"))
    } else {
      notifier.server.need()
    }
    if sound == .none {
      heard = .failure(Failure(reason: "the configuration says sound = false"))
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
      case .failure(let error): seen = .failure(Failure(reason: "\(error)"))
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
    case .failed(let reason): heard = .failure(Failure(reason: reason))
    }
    endIfComplete()
  }

  /// Continues the test after a new partial result.
  func endIfComplete() {
    if seen == nil, let reason = notifier.output.absence {
      seen = .failure(Failure(reason: reason))
    }
    guard let seen, heard != nil else { return }
    if case .success = seen, isPaused == nil { return }
    end()
  }

  private func end() {
    guard !isOver else { return }
    isOver = true
    notifier.ringTest = nil
    var check = notifier.ringCheck
    check.seen = (try? seen?.get()) != nil
    check.paused = isPaused ?? false
    check.heard = (try? heard?.get()) != nil || heard == nil && notifier.ringer.isPlaying
    check.player = (try? heard?.get()) ?? (check.heard ? check.player : nil)
    var reasons: [String] = []
    if !check.seen { reasons.append(Self.reason(seen, "the notification server does not answer")) }
    if !check.heard { reasons.append(Self.reason(heard, "no player has finished")) }
    check.reason = reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    // Without this, the popup would appear when a server starts later, long after the test.
    if !check.seen { notifier.board.close(popup) } else { notifier.board.forget(popup) }
    for done in done { done(check) }
  }

  private static func reason<Success>(
    _ result: Result<Success, Failure>?, _ otherwise: String
  ) -> String {
    if case .failure(let failure) = result { failure.reason } else { otherwise }
  }
}

extension Notifier {
  /// Whether a ring would be noticed, as far as is known without a test.
  package var ringCheck: RingCheck {
    var check = RingCheck()
    var reasons: [String] = []
    if let identity = server.identity {
      check.server = [identity.name, identity.version].filter { !$0.isEmpty }
        .joined(separator: " ")
    }
    if !settings().notifies {
      reasons.append("the configuration says notify = false")
    } else if case .asking = server.state {
      reasons.append("the session bus is still being asked for a notification server")
    } else if let absence = output.absence {
      reasons.append(absence)
    } else {
      check.seen = true
    }
    if settings().sound == .none {
      reasons.append("the configuration says sound = false")
    } else if check.seen, output.serverPlays {
      check.heard = true
    } else {
      let playerStatus = ringer.playerStatus(for: settings().sound)
      check.player = playerStatus.player
      check.heard = playerStatus.player != nil
      if let reason = playerStatus.reason { reasons.append(reason) }
    }
    check.reason = reasons.isEmpty ? nil : reasons.joined(separator: "; ")
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
      loop.later { done(RingCheck(reason: "\(error)")) }
    }
  }
}
