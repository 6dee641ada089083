/// The types of events in the interface.
public enum EventWords {
  /// The types of events about timers. The command of a timer can run on each of them.
  public static let ofTimers = TimersInterface.TimerEvent.allCases.map(\.rawValue)

  /// The types of events about the machine.
  public static let ofMachine = TimersInterface.MachineEvent.allCases.map(\.rawValue)

  /// The types of events about commands. No command can run on these, because the command would
  /// cause the next such event.
  public static let ofActions = TimersInterface.ActionEvent.allCases.map(\.rawValue)
}
