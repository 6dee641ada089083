import ArgumentParser
import NightjarInterface

/// The command `nightjar`.
struct Nightjar: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar",
    abstract: "Timers that outlive sleep, suspension and restarts.",
    discussion: """
      nightjar 4min starts a timer without a name. A duration is written as systemd.time(7) has \
      it: 4min, 1h 30min, 1.5h; a bare number is seconds, and 1:30 minutes and seconds.

      The commands that take names take several, a prefix such as run/… (all under run) or --all. \
      Exit codes: 0 done, 1 refused, 3 no such timer, 4 no daemon, 64 wrong usage; see also wait.

      nightjar @MACHINE COMMAND is for the timers of another of your machines, and list --everywhere \
      shows those of all. With --queue a change waits until that machine is there. nightjar @SESSION list \
      shows what others share with you; see nightjar-mqtt(1).

      NIGHTJAR_SOCKET names the daemon's socket, NIGHTJAR_TIMEOUT how long to wait for its answer \
      (10s); NO_COLOR turns colours off.
      """,
    version: "nightjar \(NightjarVersion.current)",
    subcommands: [Complete.self, RestoreTerminal.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Start and look",
        subcommands: [
          Start.self, Alarm.self, Stopwatch.self, SequenceCommand.self, List.self, Show.self,
          Remaining.self, Why.self, History.self,
        ]),
      CommandGroup(
        name: "Change",
        subcommands: [
          Pause.self, Resume.self, Extend.self, Shorten.self, Snooze.self, Restart.self, Stop.self,
          Cancel.self, Dismiss.self, Remove.self, Update.self, Edit.self, Rename.self, Skip.self,
          Advance.self, Lap.self, Undo.self,
        ]),
      CommandGroup(name: "Follow", subcommands: [Wait.self, Watch.self, Events.self]),
      CommandGroup(name: "With others", subcommands: [Share.self, Join.self, Leave.self]),
      CommandGroup(
        name: "The daemon", subcommands: [Status.self, Doctor.self, Export.self, Mqtt.self]),
      CommandGroup(
        name: "Beside it",
        subcommands: [Rehearse.self, Analyze.self, Completions.self, Help.self]),
    ])

  /// Without a command, shows the front page on a terminal. If the output is a pipe or a file,
  /// prints the help, as most programs with subcommands do.
  func run() throws {
    guard Terminal.isOutput else { throw CleanExit.helpRequest(self) }
    try FrontPage.show()
  }
}
