package import NightjarWire

/// Whether a ring is noticed, or would be.
public struct RingReport: Equatable, Sendable {
  /// On the desktop, as a notification.
  public let isSeen: Bool
  /// By a sound.
  public let isHeard: Bool
  /// The notification server that is there, and its version.
  public let server: String?
  /// The program that plays the sound, where the notification server does not.
  public let player: String?
  /// Why it is not seen, or not heard.
  public let reason: String?

  /// Reads it from what the daemon sent.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "ring")
    isSeen = try fields.bool("seen")
    isHeard = try fields.bool("heard")
    server = try fields.optionalString("server")
    player = try fields.optionalString("player")
    reason = try fields.optionalString("reason")
  }
}
