internal import NightjarSystem

/// Whose rings an output shows and plays.
protocol RingOutputDelegate: AnyObject {
  /// What a popup says now; nil: nothing any more.
  func notice(for popup: Popup) -> Notice?
  /// Something happened to a popup.
  func heard(_ news: PopupBoard.News, of popup: Popup)
  /// Whether a sound is still wanted for an occasion.
  func isWanted(_ occasion: Ringer.Occasion) -> Bool
  /// The state of the notification server is another.
  func serverChanged()
}

/// What rings are shown and played with: the notification server of the session, the popups there,
/// and the programs that play sounds. This machine's rings have one, and other machines' rings have
/// one.
final class RingOutput {
  private unowned let delegate: any RingOutputDelegate
  private let settings: () -> DesktopSettings
  private let monotonicUsec: () -> Int64
  // Made last: all of them talk back.
  private(set) var server: NotificationServer!
  private(set) var board: PopupBoard!
  private(set) var ringer: Ringer!

  /// - Parameters:
  ///   - settings: what is in force now.
  ///   - busAddress: the session bus; nil: there is none.
  ///   - monotonicUsec: CLOCK_MONOTONIC as the delegate goes by it.
  init(
    loop: EventLoop, delegate: any RingOutputDelegate, settings: @escaping () -> DesktopSettings,
    busAddress: String?, monotonicUsec: @escaping () -> Int64
  ) throws(SystemError) {
    self.delegate = delegate
    self.settings = settings
    self.monotonicUsec = monotonicUsec
    ringer = try Ringer(loop: loop) { [unowned self] in silent($0) }
    server = NotificationServer(loop: loop, address: busAddress) { [unowned self] in heard($0) }
    board = try PopupBoard(
      loop: loop, server: server, text: { [unowned self] in self.delegate.notice(for: $0) },
      onNews: { [unowned self] in self.delegate.heard($1, of: $0) })
  }

  private func heard(_ event: NotificationServer.Event) {
    switch event {
    case .stateChanged:
      board.serverChanged()
      delegate.serverChanged()
    case .invoked(let id, let key): board.invoked(id, key)
    case .closed(let id, let closing): board.closed(id, closing)
    }
  }

  /// Takes down all popups and ends all sounds: the process ends.
  func end() {
    ringer.end()
    board.end()
  }

  // MARK: What is known of it

  /// Whether the server that is there has sounds heard by itself.
  var serverPlays: Bool { server.identity?.capabilities.contains("sound") ?? false }

  /// Why nothing can be shown; nil: it can be, or that is not known yet.
  var absence: String? {
    switch server.state {
    case .present, .asking: nil
    case .unreachable(let reason): reason
    case .mute(let reason): "the notification server does not answer: \(reason)"
    case .absent(let isStartable):
      if let failure = server.startFailure {
        "no notification server could be started: \(failure)"
      } else {
        isStartable ? nil : "no notification server is on the session bus"
      }
    }
  }

  /// A ring made no sound, and that is news.
  private func silent(_ reason: String) {
    let isSeen = server.identity != nil && settings().notifies
    let what = isSeen ? "a ring was seen and not heard" : "a ring was neither seen nor heard"
    let reasons = [isSeen ? nil : absence, reason].compactMap { $0 }
    Log.write(
      isSeen ? .notice : .warning, "\(what): \(reasons.joined(separator: "; "))",
      [("NIGHTJAR_RING", isSeen ? "unheard" : "unnoticed")])
  }

  // MARK: Sounds

  /// Plays a sound. The notification server plays it with the popup if the sound is not repeated, or
  /// if this process finds no player; else this process plays it.
  ///
  /// - Parameter occasions: what this process plays it for.
  func sing(_ heard: Heard, with popup: Popup, for occasions: [Ringer.Occasion]) {
    guard heard.sound != .none else { return }
    let isForServer =
      serverPlays && (!heard.course.repeats || ringer.outlook(for: heard.sound).player == nil)
    guard !isForServer else {
      popup.sound = (heard.sound, monotonicUsec() + PopupBoard.soundUsec)
      return
    }
    sing(heard, for: occasions)
  }

  /// Plays a sound in this process, unless the notification server is paused and the course respects
  /// that.
  ///
  /// - Parameter agoUsec: so long ago it was begun by a process before this one.
  func sing(_ heard: Heard, for occasions: [Ringer.Occasion], agoUsec: Int64 = 0) {
    guard heard.sound != .none, !occasions.isEmpty else { return }
    guard !heard.course.disturbs, server.identity != nil else {
      return play(heard, for: occasions, agoUsec: agoUsec)
    }
    server.askWhetherPaused { [weak self] isPaused in
      guard !isPaused, let self else { return }
      // Some may have been answered meanwhile.
      play(heard, for: occasions.filter { self.delegate.isWanted($0) }, agoUsec: agoUsec)
    }
  }

  private func play(_ heard: Heard, for occasions: [Ringer.Occasion], agoUsec: Int64) {
    for occasion in occasions {
      ringer.play(
        heard.sound, for: occasion, repeats: heard.course.repeats, heard.course.loudness,
        agoUsec: agoUsec)
    }
  }

  /// The server did not have a popup's sound heard.
  func playUnheard(_ sound: RingSound, of popup: Popup) {
    ringer.play(sound, for: popup.subject.occasion, Loudness(volume: settings().rings.volume))
  }
}
