internal import NightjarModel
internal import NightjarSystem

/// A popup that is on the screen, or wanted there.
final class Popup {
  /// What it is about.
  enum Subject: Equatable {
    /// The timer of this number in this slot.
    case timer(id: Int64, slot: Int, name: String)
    /// The ring of another machine's timer, by its number.
    case remote(key: Int)
    /// Several at once.
    case digest
    /// Nothing: somebody tries whether it works.
    case test
    /// The database, in words: timers may be missing.
    case loss(String)
    /// A command that failed; of which timer, if it is about one.
    case failure(name: String?, ActionNote, ActionEnd)

    /// What it is heard for.
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
    /// It was closed, and nobody wants it again.
    case gone
  }

  let subject: Subject
  var state = State.due
  /// The server's number for it; 0: it has none.
  var id: UInt32 = 0
  /// It says something else since it was sent.
  var isStale = false
  /// What is about to be sent is news: not only less of what was sent before.
  var isNews = true
  /// What is on its way is.
  var isNewsSent = false
  /// It is to be closed as soon as it has a number.
  var isOver = false
  /// Somebody has done something about it, and what comes of that is on its way to the disk.
  var isAnswered = false
  /// What the server is to have heard with it, and until when, on CLOCK_MONOTONIC, it may take to
  /// say that it has it.
  var sound: (is: RingSound, untilUsec: Int64)?
  /// It is not sent again before, on CLOCK_MONOTONIC.
  var restsUntilUsec: Int64 = 0
  /// Called once with the popup's number, or why it is not shown.
  var onSent: ((Result<UInt32, SystemError>) -> Void)?

  init(_ subject: Subject) { self.subject = subject }

  /// `sound` as the server is asked for it.
  var soundHint: Notice.Sound {
    switch sound?.is ?? RingSound.none {
    case .none: .none
    // The name that the themes have for it (Sound Naming Specification).
    case .usual: .themed("alarm-clock-elapsed")
    case .builtIn(let name):
      SoundFiles.path(of: name).map { .file($0) } ?? .themed("alarm-clock-elapsed")
    case .file(let path): .file(path)
    }
  }
}
