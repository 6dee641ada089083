/// Limits for data that a bridge receives from the broker and publishes there.
public enum MirrorLimits {
  /// The most devices of the user in the mirror, without this one. Messages of further devices are
  /// dropped and counted.
  public static let devices = 64
  /// The most timers of one device, received or published.
  public static let timersOfDevice = 10_000
  /// The most devices of one person in a session.
  public static let devicesOfMember = 8
  /// The most sessions of one device.
  public static let sessions = 16
  /// The longest message in bytes (Maximum Packet Size of MQTT 5, section 3.1.2.11.4). The broker
  /// drops longer messages. The longest messages are answers to `Why`.
  public static let messageBytes = 1024 * 1024
  /// The longest value of one timer, in bytes.
  public static let valueBytes = 64 * 1024
  /// The most answers to rings that are stored.
  public static let answers = 1000
  /// The most calls to other machines that wait for their answers.
  public static let callsInFlight = 256
  /// The most calls of other machines that the daemon handles at the same time. A call counts until
  /// the broker has acknowledged its answer. Further calls are refused.
  public static let callsToDaemon = 64
  /// The most changes of other machines that are carried out at once. Further changes are refused.
  public static let changesAtOnce = 1000
  /// The most changes of other machines that are carried out per second after a burst.
  public static let changesASecond = 100
  /// The most refusals that the broker has not acknowledged. At this limit, a refused call gets no
  /// answer.
  public static let refusalsInFlight = 1000
  /// The most bytes of the timers of one device.
  public static let bytesOfDevice = 32 * 1024 * 1024
}
