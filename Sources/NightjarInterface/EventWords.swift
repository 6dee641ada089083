/// The types of events, as the interface has them.
public enum EventWords {
  /// What happens to a timer, and may call for a command.
  public static let ofTimers = TimersInterface.TimerEvent.allCases.map(\.rawValue)

  /// What happens to the machine.
  public static let ofMachine = TimersInterface.MachineEvent.allCases.map(\.rawValue)

  /// What becomes of commands. These call for none, or there would be no end of them.
  public static let ofActions = TimersInterface.ActionEvent.allCases.map(\.rawValue)
}
