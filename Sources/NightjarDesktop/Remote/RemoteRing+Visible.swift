internal import NightjarModel
internal import NightjarVarlink

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
