internal import NightjarModel
internal import NightjarSystem

/// A popup that is shown or is to be shown.
final class Popup {
  /// The topic of the popup.
  enum Subject: Equatable {
    /// The timer with this ID in this slot.
    case timer(id: Int64, slot: Int, name: String)
    /// The ring of another machine's timer, by its key.
    case remote(key: Int)
    /// Several rings at once.
    case digest
    /// The user's test of popups and sounds.
    case test
    /// A loss in the database, in words: timers may be missing.
    case loss(String)
    /// A failed command, and the name of its timer, if it has one.
    case failure(name: String?, ActionNote, ActionEnd)

    /// The occasion for its sound.
    var occasion: Ringer.Occasion {
      switch self {
      case .timer(_, let slot, _): .timer(slot: slot)
      case .remote(let key): .remote(key: key)
      case .digest: .digest
      case .test, .loss, .failure: .test
      }
    }
  }

  enum State {
    /// To be sent as soon as the server can take it.
    case due
    /// The server has been asked to show it.
    case sending
    case shown
    /// It was closed, and is not wanted any more.
    case gone
  }

  let subject: Subject
  var state = State.due
  /// The server's number for it; 0 for none.
  var id: UInt32 = 0
  /// Its text has changed since it was sent.
  var isStale = false
  /// The pending update adds content; false if it only removes content.
  var isNews = true
  /// The update that was sent, and is not shown yet, adds content.
  var isNewsSent = false
  /// It is to be closed as soon as it has a number.
  var isOver = false
  /// The user has answered it, and the change is being committed.
  var isAnswered = false
  /// The sound that the server is to play. The server may take until `untilUsec`, on
  /// CLOCK_MONOTONIC, to accept the popup.
  var sound: (is: RingSound, untilUsec: Int64)?
  /// It is not sent again before this time, on CLOCK_MONOTONIC.
  var restsUntilUsec: Int64 = 0
  /// Called once with the popup's number, or with the reason why it is not shown.
  var onSent: ((Result<UInt32, SystemError>) -> Void)?

  init(_ subject: Subject) { self.subject = subject }

  /// `sound` as a hint for the server.
  var soundHint: Notice.Sound {
    switch sound?.is ?? RingSound.none {
    case .none: .none
    // The name of an alarm's sound in sound themes (Sound Naming Specification).
    case .usual: .themed("alarm-clock-elapsed")
    case .builtIn(let name):
      SoundFiles.path(of: name).map { .file($0) } ?? .themed("alarm-clock-elapsed")
    case .file(let path): .file(path)
    }
  }
}
