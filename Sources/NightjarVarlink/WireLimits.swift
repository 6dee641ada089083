/// Limits of messages.
public enum WireLimits {
  /// A message in bytes, without its NUL. A longer one closes the connection.
  public static let frameBytes = 128 * 1024
  /// A reply in bytes, without its NUL: pages of timers, each with its data, are longer than a call may be.
  public static let replyBytes = 64 * 1024 * 1024
  /// How many values a call may have, those inside others included. Reading them takes time in which no other
  /// client is served: so many take no longer than the longest message of anything else. The longest call that is
  /// of use has under 3,000.
  public static let callValues = 16_384
  /// How deep a message's objects and arrays may nest.
  public static let nestingDepth = 32
  /// A number in bytes of JSON, where it is read as floating point. No double needs more than 1,100
  /// to be told exactly.
  public static let numberBytes = 1100
}
