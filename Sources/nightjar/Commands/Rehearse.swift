import ArgumentParser
import Glibc

/// The options of `nightjar rehearse`.
package struct RehearsalOptions {
  /// The script; `-` for standard input.
  package let file: String
  /// The number of ledger entries after which the rehearsal stops.
  package let limit: Int
  package let isJSON: Bool
}

struct Rehearse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse", abstract: "Play a script in simulated time: what would happen when.",
    discussion: """
      FILE (- for standard input) has one command a line; # begins a comment. A timer is started and \
      changed as on the command line, with the same words, options and presets: start, alarm, \
      stopwatch, sequence, pause, resume, extend, … What happens to the machine:

      at TIME [ZONE]      when it begins, and in which time zone; first of all
      wait SPAN           time passes
      sleep SPAN          the machine sleeps; a timer with --wake ends that
      stop SPAN           SIGTSTP stops the daemon, SIGCONT continues it
      down SPAN           the daemon is ended, and started again
      crash SPAN          the daemon is killed, and started again
      reboot SPAN         the machine reboots; with --clock-off -3h its clock is 3 hours behind then
      freeze SPAN         nothing runs, and no signal announces it
      step +SPAN          you set the wall clock; or -SPAN
      sync                the network sets the wall clock right, and vouches for it
      lock, unlock        the session is locked or idle; or it is in use again
      zone ZONE           the machine is taken to another time zone
      run                 time passes until all timers are over; a timer without end rings once more
      undo                the last change of a timer is taken back, within a minute of it
      list, show NAME     how the timers are then

      For SPAN there may be until TIME: sleep until tomorrow 7:00, wait until Mon 9:00. A line that \
      begins with nightjar is a command of the command line: nightjar stop 5min ends the timer of the \
      name 5min.

      --clock-off is counted from what the clock showed before. The kernel vouches for the clock only \
      while it is right. After a reboot with a wrong clock it does so again from sync on, and after \
      step from sync or from a reboot with a clock that is right. nightjard(1) describes how the \
      daemon uses that.

        at 2026-03-28 23:00 Europe/Berlin
        sequence pomodoro work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        sleep 7h
        resume pomodoro
        run

      The daemon's own engine plays it; no daemon is asked, and no timer of yours is touched. What a \
      daemon would refuse is refused, and the script continues. It prints the commands of --exec and \
      does not run them, and it takes every ring for answered: --ring-for and --insist change nothing \
      in it.
      """)

  /// The default of `--limit`.
  private static let usualLimit = 1_000
  private static let limits = 1...1_000_000

  @Argument(help: ArgumentHelp("The script.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "End after this many events (\(usualLimit)).", valueName: "n"))
  var limit: Int?

  @Flag(
    name: .customLong("json"),
    help: "Print one JSON object a line: an event, what the machine does, or the timers.")
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
