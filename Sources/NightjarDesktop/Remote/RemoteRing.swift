package import NightjarModel
internal import NightjarVarlink

/// A ring of a timer of another machine, for which this machine rings.
package struct RemoteRing: Equatable, Sendable {
  /// Why this machine rings for the other one.
  package enum Reason: Equatable, Sendable {
    /// The other machine announced that it goes to sleep; since when, on this machine's
    /// CLOCK_REALTIME.
    case asleep(sinceUsec: Int64?)
    /// The broker has lost the other machine; since when, on this machine's CLOCK_REALTIME.
    case offline(sinceUsec: Int64?)
    /// The other machine did not say that it rang.
    case silent
    /// It rings there, but the user is not at it, or nothing there can be seen or heard.
    case elsewhere
  }

  /// The machine whose timer it is, such as `laptop`.
  package var device: String
  /// The timer's name. Foreign text: it is made safe before it is shown.
  package var name: String
  /// The timer's message; empty: it has none. Foreign text, too.
  package var message: String
  /// What the timer does: the configuration says for each kind how long it rings.
  package var kind: TimerKind
  /// It makes no sound.
  package var isSilent: Bool
  /// When it was due, on this machine's CLOCK_REALTIME.
  package var dueUsec: Int64
  /// Why this machine rings.
  package var reason: Reason
  /// It repeats, or has further steps, which wait for its own machine.
  package var continues: Bool

  package init(
    device: String, name: String, message: String = "", kind: TimerKind, isSilent: Bool = false,
    dueUsec: Int64, reason: Reason, continues: Bool = false
  ) {
    (self.device, self.name, self.message) = (device, name, message)
    (self.kind, self.isSilent, self.dueUsec) = (kind, isSilent, dueUsec)
    (self.reason, self.continues) = (reason, continues)
  }
}

extension RemoteRing {
  /// The same with texts that are safe to show: not too long, in one line each, and with nothing in
  /// them that changes how the text around them is read. Markup is escaped where a server reads it.
  var visible: RemoteRing {
    var ring = self
    ring.device = Self.visible(device)
    ring.name = Self.visible(name)
    ring.message = Self.visible(message)
    return ring
  }

  /// Cut by code points: a single character can have any number of them.
  private static func visible(_ text: String) -> String {
    VisibleText.visible(String(text.unicodeScalars.prefix(Limits.messageBytes)))
  }
}
