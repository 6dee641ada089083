import ArgumentParser
import Glibc

package struct RehearsalOptions {
  /// The script; `-` for standard input.
  package let file: String
  /// The number of ledger entries after which the rehearsal stops.
  package let limit: Int
  package let isJSON: Bool
}

struct Rehearse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse",
    abstract: "Play a script in simulated time, and print what would happen.",
    discussion: """
      FILE (- for standard input) has one command per line; # begins a comment. Timers are started \
      and changed with the same commands, options and presets as on the command line: start, \
      alarm, stopwatch, sequence, pause, resume, extend and others. The other commands are about \
      the machine:

      at TIME [ZONE]      the script begins at this time, in this time zone; must be first
      wait SPAN           time passes
      sleep SPAN          the machine sleeps; a timer with --wake ends the sleep
      stop SPAN           SIGTSTP stops the daemon, SIGCONT continues it
      down SPAN           the daemon is ended, and started again
      crash SPAN          the daemon is killed, and started again
      reboot SPAN         the machine reboots; with --clock-off -3h its clock is then 3 hours slow
      freeze SPAN         nothing runs, and no signal announces this
      step +SPAN          the user sets the wall clock forward, or back with -SPAN
      sync                the network corrects the wall clock, which is synchronised from then on
      lock, unlock        the session is locked or idle; the session is in use again
      zone ZONE           the machine is moved to another time zone
      run                 time passes until all timers are over; one without end rings once more
      undo                the last change of a timer is undone, within a minute of it
      list, show NAME     print the timers at this time

      SPAN may also be until TIME: sleep until tomorrow 7:00, wait until Mon 9:00. A line that \
      begins with nightjar is always a command of the command line. For example, nightjar stop \
      5min ends the timer called 5min, and stop 5min stops the daemon for 5 minutes.

      The span of --clock-off is added to the error that the clock had before the reboot. At the \
      beginning of the script the clock is synchronised. After a reboot it is synchronised if it \
      is right. After step it is not synchronised, until sync or a reboot with a right clock. \
      nightjard(1) describes timers with an unsynchronised clock.

        at 2026-03-28 23:00 Europe/Berlin
        sequence pomodoro work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        sleep 7h
        resume pomodoro
        run

      The script runs in the daemon's own engine, but without a daemon: your timers are not \
      changed. If a daemon would refuse a command, the rehearsal refuses it, too, and the script \
      continues. The rehearsal prints the commands of --exec, and does not run them. It takes \
      each ring as shown and played, and leaves it open until the script ends it.
      """)

  /// The default of `--limit`.
  private static let usualLimit = 1_000
  private static let limits = 1...1_000_000

  @Argument(help: ArgumentHelp("The script.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "End after this many events. By default \(usualLimit).", valueName: "n"))
  var limit: Int?

  @Flag(
    name: .customLong("json"),
    help: "Print one JSON object per line: an event, an act of the machine, or the timers.")
  var isJSON = false

  /// - Throws: `CommandError`: the options make no sense.
  func options() throws(CommandError) -> RehearsalOptions {
    let limit = limit ?? Self.usualLimit
    guard Self.limits.contains(limit) else {
      throw .usage("--limit is from \(Self.limits.lowerBound) to \(Self.limits.upperBound)")
    }
    return RehearsalOptions(file: file, limit: limit, isJSON: isJSON)
  }

  /// Replaces this process with nightjar-rehearse, because only that program contains the engine.
  func run() throws {
    let options = try options()
    let name = "nightjar-rehearse"
    guard let program = InstalledProgram.path(of: name) else {
      throw CommandError(
        .refused, "\(name) is neither beside nightjar nor in PATH; install it there")
    }
    let words =
      [name, "--limit", "\(options.limit)"] + (options.isJSON ? ["--json"] : [])
      + ["--", options.file]
    execv(program, words.map { strdup($0) } + [nil])
    throw CommandError(.refused, "cannot run \(program): \(SystemError.words(errno))")
  }
}
