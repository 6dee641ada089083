/// Limits of messages.
public enum WireLimits {
  /// Bytes in a message, without its NUL. A longer one closes the connection.
  public static let frameBytes = 128 * 1024
  /// Bytes in a reply, without its NUL. Larger than for calls, because a page of timers has the
  /// data of each.
  public static let replyBytes = 64 * 1024 * 1024
  /// Values in a call, including those inside others. While the daemon reads a call, it serves no
  /// other client: this many values take no longer than the longest message of any other content.
  /// The longest useful call has under 3,000.
  public static let callValues = 16_384
  /// How deep the objects and arrays of a message may nest.
  public static let nestingDepth = 32
  /// Bytes in a number that is read as a `Double`. No double needs more than 1,100 to be written
  /// exactly.
  public static let numberBytes = 1100
}
