import ArgumentParser
import NightjarClient
import NightjarConfig
import NightjarWire

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
      reboot SPAN         the machine; with --clock-off -3h its clock comes back so much behind
      freeze SPAN         nothing runs, and nobody says so
      step +SPAN          you set the wall clock; or -SPAN
      sync                the network sets the wall clock right, and vouches for it
      zone ZONE           the machine is taken to another time zone
      run                 time passes until all is over; what never is rings once more
      list, show NAME     how the timers are then

      For SPAN there may be until TIME: sleep until tomorrow 7:00, wait until Mon 9:00. A line that \
      begins with nightjar is the command line's: nightjar stop 5min ends a timer called so.

      --clock-off is measured from what the clock showed before. Only a clock that is right is vouched \
      for: not one that came back wrong, until sync, and none after step, until sync or a reboot \
      with a clock that is right. nightjard(1) says what the daemon makes of that.

        at 2026-03-28 23:00 Europe/Berlin
        sequence pomodoro work=25min rest=5min --loop 4 --after-sleep pause
        wait 10min
        sleep 7h
        resume pomodoro
        run

      The daemon's own engine plays it; no daemon is asked, and no timer of yours is touched. What a \
      daemon would refuse is refused, and the script goes on. Commands that --exec names are told; \
      with --hooks they are really run, and so are your hooks, one after another, with \
      NIGHTJAR_REHEARSAL=1 in their environment and no daemon to ask.
      """)

  /// So many entries of the ledger, where nobody says.
  private static let usualLimit = 1_000
  private static let limits = 1...1_000_000

  @Argument(help: ArgumentHelp("The script.", valueName: "file"), completion: .file())
  var file: String

  @Flag(help: "Begin now, with the timers that the daemon has.")
  var withTimers = false

  @Flag(help: "Run hooks and the timers' own commands, really.")
  var hooks = false

  @Option(
    help: ArgumentHelp(
      "End behind so many events (\(usualLimit)).", valueName: "n"))
  var limit: Int?

  @Flag(
    name: .customLong("json"),
    help: "Print one JSON object a line: an event, what the machine does, or the timers.")
  var isJSON = false

  @OptionGroup var socket: SocketOption

  func run() throws {
    let limit = limit ?? Self.usualLimit
    guard Self.limits.contains(limit) else {
      throw CommandError.usage(
        "--limit is from \(Self.limits.lowerBound) to \(Self.limits.upperBound)")
    }
    let (name, text) = try Script.read(file)
    Terminal.askNobody()
    // To the second, as people's clocks show it.
    let here = Wall(
      nowUsec: LocalTime.nowUsec() / 1_000_000 * 1_000_000, zone: LocalTime.zone)
    let script = try Script(text, name: name, here: here)
    if withTimers, script.hasBegin {
      throw CommandError.usage(
        "the timers that there are begin now: leave out --with-timers, or at in \(name)")
    }
    let session = withTimers ? try Session.open(socket) : nil
    var timers: [JSONValue] = []
    try session?.forEachPage { timers += $0["timers"]?.arrayValue ?? [] }
    let rehearsal = try Rehearsal(
      script, timers: timers, limit: limit, defaults: .read(),
      wakeObstacle: try session.flatMap { (session) throws(CommandError) in
        let wake = try session.status().wake
        return wake.isPossible ? nil : wake.reason ?? "the daemon does not say why"
      },
      commands: RehearsedCommands(hooks: HookFolder(beside: Presets.path), areRun: hooks))
    if isJSON { rehearsal.add(TimeLineJSON()) } else { rehearsal.add(TimeLine()) }
    try play(rehearsal, limit: limit)
  }

  private func play(_ rehearsal: Rehearsal, limit: Int) throws(CommandError) {
    var failure: CommandError?
    do throws(CommandError) {
      try rehearsal.play()
    } catch {
      failure = error
    }
    try rehearsal.end()
    if rehearsal.isCut {
      Output.complain("ended behind \(limit) events; --limit \(limit * 10) shows more")
    }
    if let failure { throw failure }
  }
}
