/// Limits of messages.
public enum WireLimits {
  /// Bytes in a message, without its NUL. A longer message closes the connection.
  public static let frameBytes = 128 * 1024
  /// Bytes in a reply, without its NUL. Larger than for calls, because a page of timers has the
  /// data of each timer.
  public static let replyBytes = 64 * 1024 * 1024
  /// Values in a call, including those inside others. While the daemon reads a call, it serves no
  /// other client. A call with this many values takes no longer to read than the slowest call of
  /// other content. The longest useful call has under 3,000 values.
  public static let callValues = 16_384
  /// How deep the objects and arrays of a message may nest.
  public static let nestingDepth = 32
  /// Bytes in a number that is read as a `Double`. No double needs more than 1,100 to be written
  /// exactly.
  public static let numberBytes = 1100
}
