internal import NightjarModel
internal import NightjarSystem

/// A popup that is shown, is to be shown, or was shown.
final class Popup {
  enum Subject: Equatable {
    case timer(id: Int64, slot: Int, name: String)
    /// The ring of another machine's timer, by its key.
    case remote(key: Int)
    /// Several rings in one popup.
    case digest
    /// The user's test of popups and sounds.
    case test
    /// A loss of data in the database, in words: timers may be missing.
    case loss(String)
    /// A failed command, and the name of its timer, if it has one.
    case failure(name: String?, ActionNote, ActionEnd)

    /// The occasion under which the sound of this popup is played.
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
    /// The popup has to be sent to the server, as soon as the server can take it.
    case due
    /// The server has been asked to show the popup, and has not answered.
    case sending
    case shown
    /// The popup was closed, and must not be shown again.
    case gone
  }

  let subject: Subject
  var state = State.due
  /// The server's number for the popup; 0: it has none.
  var id: UInt32 = 0
  /// Whether the text has changed since the popup was sent.
  var isStale = false
  /// Whether the next update has new content; false if it only removes content.
  var hasNewContent = true
  /// Whether an update with new content was sent and is not shown yet.
  var isNewContentSent = false
  /// Whether the popup is to be closed as soon as it has a number.
  var isOver = false
  /// The number of the ring that the popup shows. Its buttons are not about a newer one.
  var expiry: Int64 = 0
  /// Whether the user has answered the popup, and the change is being committed.
  var isAnswered = false
  /// The sound that the server is to play with the popup; nil: none. If the server has not accepted
  /// the popup at `untilUsec`, on CLOCK_MONOTONIC, this process plays the sound itself.
  var sound: (is: RingSound, untilUsec: Int64)?
  /// The earliest time at which the popup may be sent again, on CLOCK_MONOTONIC.
  var pausedUntilUsec: Int64 = 0
  /// Called once: with the popup's number when it is shown, or with the reason why it is not shown.
  var onSent: ((Result<UInt32, SystemError>) -> Void)?

  init(_ subject: Subject) { self.subject = subject }

  /// The property `sound`, as the server needs it.
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
