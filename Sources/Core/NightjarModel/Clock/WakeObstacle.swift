/// Why no timer can wake the machine.
public enum WakeObstacle: Equatable, Sendable {
  /// The process does not have the capability CAP_WAKE_ALARM.
  case capability
  /// The machine has no clock that could wake it.
  case noClock
  /// The system refused it for another reason, which is given in the system's words.
  case refused(String)
}
