/// The types of events in the interface.
public enum EventWords {
  /// The types of events about timers. The command of a timer can run on each of them.
  public static let ofTimers = Wire.EventType.timerEvent.map(\.rawValue)

  /// The types of events about the machine.
  public static let ofMachine = Wire.EventType.machineEvent.map(\.rawValue)

  /// The types of events about commands. No command can run on these, because the command would
  /// cause the next such event.
  public static let ofActions = Wire.EventType.actionEvent.map(\.rawValue)
}
