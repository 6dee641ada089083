/// Limits of what a bridge takes from the broker and gives to it.
public enum MirrorLimits {
  /// Devices of the person that are mirrored, beside this one. Messages of more are dropped, and that is reported.
  public static let devices = 64
  /// Timers of one device, on either side.
  public static let timersOfDevice = 10_000
  /// Devices of one person in a session.
  public static let devicesOfMember = 8
  /// Sessions of one device.
  public static let sessions = 16
  /// A message in bytes (Maximum Packet Size of MQTT 5, section 3.1.2.11.4): the broker drops longer ones. The longest
  /// is an answer to `Why`.
  public static let messageBytes = 1024 * 1024
  /// The value of one timer in bytes.
  public static let valueBytes = 64 * 1024
  /// Answers to rings that are remembered.
  public static let answers = 1000
  /// Calls to other machines that wait for their answers.
  public static let callsUnderWay = 256
  /// Calls of other machines that the daemon is asked at the same time, with those whose answers the broker has not
  /// taken; more are refused.
  public static let callsToDaemon = 64
  /// Changes of other machines that are carried out at once after a rest; more are refused.
  public static let changesAtOnce = 1000
  /// Changes of other machines that are carried out in each second after that.
  public static let changesASecond = 100
  /// Refusals that the broker has not taken; what is refused beyond that has no answer.
  public static let refusalsUnderWay = 1000
  /// The values of one device in bytes.
  public static let bytesOfDevice = 32 * 1024 * 1024
}
