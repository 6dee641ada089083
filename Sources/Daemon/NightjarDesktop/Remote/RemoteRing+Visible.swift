internal import NightjarModel
internal import Varlink

extension RemoteRing {
  /// The ring with texts that are safe to show. Each text is one line of limited length, without
  /// characters that change how the surrounding text is read. Markup is escaped later, for servers
  /// that interpret it.
  var visible: RemoteRing {
    var ring = self
    ring.device = Self.visible(device)
    ring.name = Self.visible(name)
    ring.message = Self.visible(message)
    return ring
  }

  /// Cut the text by code points, because a single character can consist of any number of code
  /// points.
  private static func visible(_ text: String) -> String {
    VisibleText.visible(String(text.unicodeScalars.prefix(Limits.messageBytes)))
  }
}
