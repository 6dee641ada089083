internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTrust

/// Owns the rings that a `RingOutput` shows and plays.
protocol RingOutputDelegate: AnyObject {
  /// The present text of a popup; nil: the popup has no text any more.
  func notice(for popup: Popup) -> Notice?
  func popupChanged(_ event: PopupBoard.Event, of popup: Popup)
  /// Whether a sound for an occasion is still wanted: the ring was not answered, and its time is
  /// not over.
  func isWanted(_ occasion: Ringer.Occasion, _ course: RingCourse) -> Bool
  func serverChanged()
}

/// The popups on the notification server of the session, and the programs that play sounds. This
/// machine's rings have one output, and other machines' rings have another.
final class RingOutput {
  private unowned let delegate: any RingOutputDelegate
  private let settings: () -> DesktopSettings
  private let loop: EventLoop
  // Created last, because they use the output.
  private(set) var server: NotificationServer!
  private(set) var board: PopupBoard!
  private(set) var ringer: Ringer!

  /// - Parameters:
  ///   - settings: returns the settings in force.
  ///   - busAddress: the D-Bus address of the session bus; nil if there is none.
  init(
    loop: EventLoop, delegate: any RingOutputDelegate, settings: @escaping () -> DesktopSettings,
    busAddress: String?, note: Note?
  ) throws(SystemError) {
    self.delegate = delegate
    self.settings = settings
    self.loop = loop
    ringer = try Ringer(loop: loop) { [unowned self] in silent($0) }
    server = NotificationServer(loop: loop, address: busAddress) { [unowned self] in
      serverReported($0)
    }
    board = try PopupBoard(
      loop: loop, server: server, note: note,
      text: { [unowned self] in self.delegate.notice(for: $0) },
      onEvent: { [unowned self] in self.delegate.popupChanged($1, of: $0) })
  }

  private func serverReported(_ event: NotificationServer.Event) {
    switch event {
    case .stateChanged:
      board.serverChanged()
      delegate.serverChanged()
    case .invoked(let id, let key): board.invoked(id, key)
    case .closed(let id, let closing): board.closed(id, closing)
    }
  }

  /// Closes all popups and stops all sounds, because the process exits.
  func end() {
    ringer.end()
    board.end()
  }

  // MARK: State

  /// Whether the present server plays sounds itself.
  var serverPlays: Bool { server.identity?.capabilities.contains("sound") ?? false }

  /// Why no popup can be shown; nil: popups can be shown, or this is not known yet.
  var absence: RingCheck.Lack? {
    switch server.state {
    case .present, .asking: nil
    case .unreachable(let reason): RingCheck.Lack(.missing, Sentence(reason))
    case .unresponsive(let reason):
      RingCheck.Lack(.failing, "the notification server does not answer: \(reason)")
    case .absent(let isStartable):
      if let failure = server.startFailure {
        RingCheck.Lack(.failing, "no notification server could be started: \(failure)")
      } else if isStartable {
        nil
      } else {
        RingCheck.Lack(.missing, "no notification server is on the session bus")
      }
    }
  }

  /// Logs why a ring made no sound, unless the reason is the same as the last time.
  private func silent(_ reason: String) {
    let isSeen = server.identity != nil && settings().notifies
    let what = isSeen ? "a ring was seen and not heard" : "a ring was neither seen nor heard"
    let unseen = (isSeen ? nil : absence?.reason).map { "\($0); " } ?? ""
    Log.write(
      isSeen ? .notice : .warning, "\(what): \(unseen)\(reason)",
      [("NIGHTJAR_RING", isSeen ? "unheard" : "unnoticed")])
  }

  // MARK: Sounds

  /// Plays a sound with a popup. The notification server plays the sound if it can play sounds and
  /// either the sound is not repeated or this process finds no player. Otherwise this process plays
  /// the sound.
  ///
  /// - Parameter occasions: the occasions of the sound, if this process plays it.
  func playSound(_ audio: RingAudio, with popup: Popup, for occasions: [Ringer.Occasion]) {
    guard audio.sound != .none else { return }
    let isForServer =
      serverPlays && (!audio.course.repeats || ringer.playerStatus(for: audio.sound).player == nil)
    guard !isForServer else {
      popup.sound = (audio.sound, loop.now.monotonicUsec + PopupBoard.soundUsec)
      return
    }
    playSound(audio, for: occasions)
  }

  /// Plays a sound in this process, unless the user has paused the notification server and the
  /// course respects that.
  ///
  /// - Parameter agoUsec: how long ago a previous process began the sound, in microseconds.
  func playSound(_ audio: RingAudio, for occasions: [Ringer.Occasion], agoUsec: Int64 = 0) {
    guard audio.sound != .none, !occasions.isEmpty else { return }
    guard !audio.course.disturbs, server.identity != nil else {
      return play(audio, for: occasions, agoUsec: agoUsec)
    }
    server.askWhetherPaused { [weak self] isPaused in
      guard !isPaused, let self else { return }
      // The user may have answered some of the rings in the meantime.
      play(
        audio, for: occasions.filter { self.delegate.isWanted($0, audio.course) },
        agoUsec: agoUsec)
    }
  }

  private func play(_ audio: RingAudio, for occasions: [Ringer.Occasion], agoUsec: Int64) {
    for occasion in occasions {
      ringer.play(
        audio.sound, for: occasion, repeats: audio.course.repeats, audio.course.loudness,
        agoUsec: agoUsec)
    }
  }

  /// Plays the sound of a popup in this process, because the server did not play it.
  func playUnheard(_ sound: RingSound, of popup: Popup) {
    ringer.play(sound, for: popup.subject.occasion, Loudness(volume: settings().rings.volume))
  }
}
