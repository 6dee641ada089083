import ArgumentParser
import NightjarInterface

struct Nightjar: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar",
    abstract: "Timers that outlive sleep, suspension and restarts.",
    discussion: """
      nightjar 4min starts a timer without a name. A duration is written as in systemd.time(7): \
      4min, 1h 30min, 1.5h. A number without a unit means seconds, and 1:30 means minutes and \
      seconds.

      Most commands that change timers take several names, a path such as run/… (the path itself \
      and all timers under it), or --all. Exit statuses: 0 done, 1 refused, 3 no such timer, 4 no \
      daemon, 64 wrong usage; wait has two more.

      nightjar @MACHINE COMMAND acts on the timers of another of your machines. list --everywhere \
      shows the timers of all your machines. With --queue a command that changes timers waits \
      until that machine is online. nightjar @SESSION list shows the timers that others share with \
      you; see nightjar-mqtt(1).

      NIGHTJAR_SOCKET is the path of the daemon's socket. NIGHTJAR_TIMEOUT is how long to wait for \
      the daemon's answer, by default 10s. If NO_COLOR is set, no colours are used.
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
        name: "Tools",
        subcommands: [Rehearse.self, Analyze.self, Completions.self, Help.self]),
    ])

  /// Without a command, shows the front page on a terminal. If the output is a pipe or a file,
  /// prints the help, as most programs with subcommands do.
  func run() throws {
    guard Terminal.isOutput else { throw CleanExit.helpRequest(self) }
    try FrontPage.show()
  }
}
