import ArgumentParser
import NightjarInterface

struct Nightjar: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar",
    abstract: "Timers that outlive sleep, suspension and restarts.",
    subcommands: [Analyze.self, Complete.self, RestoreTerminal.self],
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
          Pause.self, Resume.self, Extend.self, Snooze.self, Restart.self, Stop.self,
          Cancel.self, Dismiss.self, Remove.self, Edit.self, Skip.self,
          Advance.self, Lap.self, Undo.self,
        ]),
      CommandGroup(name: "Follow", subcommands: [Wait.self, Watch.self, Events.self]),
      CommandGroup(
        name: "The daemon", subcommands: [Status.self, Doctor.self, Mqtt.self]),
      CommandGroup(
        name: "Tools",
        subcommands: [PresetsCommand.self, Rehearse.self, Completions.self, Help.self]),
    ])

  @Flag(help: .hidden) var version = false

  /// Without a command, shows the front page on a terminal. If the output is a pipe or a file,
  /// prints the help, as most programs with subcommands do.
  func run() throws {
    guard !version else { return Output.line("nightjar \(NightjarVersion.current)") }
    guard Terminal.isOutput else { return Output.ready(Help.firstPage) }
    try FrontPage.show()
  }
}
