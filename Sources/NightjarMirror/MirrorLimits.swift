/// Limits for data that a bridge receives from the broker and publishes there.
public enum MirrorLimits {
  /// Mirrored devices of the user, without this one. Messages of further devices are dropped and
  /// reported.
  public static let devices = 64
  /// Timers of one device, sent and received.
  public static let timersOfDevice = 10_000
  /// Devices of one person in a session.
  public static let devicesOfMember = 8
  /// Sessions of one device.
  public static let sessions = 16
  /// The longest message in bytes (Maximum Packet Size of MQTT 5, section 3.1.2.11.4): the broker
  /// drops longer ones. The longest that occurs is an answer to `Why`.
  public static let messageBytes = 1024 * 1024
  /// The value of one timer in bytes.
  public static let valueBytes = 64 * 1024
  /// Answers to rings that are remembered.
  public static let answers = 1000
  /// Calls to other machines that wait for their answers.
  public static let callsUnderWay = 256
  /// Calls of other machines that the daemon handles at the same time, including those whose
  /// answers the broker has not acknowledged; further ones are refused.
  public static let callsToDaemon = 64
  /// Changes of other machines that are carried out in a burst after a rest; further ones are
  /// refused.
  public static let changesAtOnce = 1000
  /// Changes of other machines that are carried out per second after a burst.
  public static let changesASecond = 100
  /// Refusals that the broker has not acknowledged; further refused calls get no answer.
  public static let refusalsUnderWay = 1000
  /// The values of one device in bytes.
  public static let bytesOfDevice = 32 * 1024 * 1024
}
