/// The types of events in the interface.
public enum EventWords {
  /// The types of events of timers. A command can run on each.
  public static let ofTimers = TimersInterface.TimerEvent.allCases.map(\.rawValue)

  /// The types of events of the machine.
  public static let ofMachine = TimersInterface.MachineEvent.allCases.map(\.rawValue)

  /// The types of events of commands. No command runs on these, because each command would cause
  /// the next.
  public static let ofActions = TimersInterface.ActionEvent.allCases.map(\.rawValue)
}
