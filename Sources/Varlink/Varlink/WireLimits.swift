/// Limits of messages.
public enum WireLimits {
  /// The most bytes in a message to a service, without its NUL. If a message is longer, the service
  /// closes the connection.
  public static let frameBytes = 128 * 1024
  /// The most bytes in a reply, without its NUL. Replies may be longer than calls, because a list
  /// may contain what many calls have stored.
  public static let replyBytes = 64 * 1024 * 1024
  /// Bytes that wait for a client that does not read. Above this, a service reads no more calls
  /// from the client.
  public static let outputBytes = 256 * 1024
  /// If more bytes of a stream wait for a client of a `VarlinkServer`, the next reply disconnects
  /// the client.
  public static let streamBytes = 16 * 1024 * 1024
  /// The most values in a call, including values inside other values. While a service reads a call,
  /// it serves no other client. A call with this many values takes no longer to read than the
  /// slowest other call.
  public static let callValues = 16_384
  /// How deep the objects and arrays of a message may be nested.
  public static let nestingDepth = 32
  /// The most bytes in a number that is read as a `Double`. No double needs more than 1,100 bytes
  /// to be written exactly.
  public static let numberBytes = 1100
}
