import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the daemon is, and what it can see.")

  @Flag(help: "Do not start a daemon where there is none; exit 4 then.")
  var noStart = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = noStart ? try Session.openIfRunning(socket) : try Session.open(socket)
    guard let session else {
      throw CommandError(.noDaemon, "no daemon is running; nightjar status starts it")
    }
    let reply = try session.call(.status())
    guard !format.isJSON else { return Output.ready(reply.text) }
    do throws(ClientError) {
      let text = StatusText(
        try DaemonStatus(reply), socket: session.path, presetProblem: Presets.problem)
      Output.ready(text.lines)
    } catch {
      throw CommandError(explaining: error)
    }
  }
}

// MARK: - Manual

extension Status: Documented {
  static let manual = """
    A line for each of these; what does not apply is left out.

    `Daemon`  Its version, its process, and since when it has run.
    `Timers`  How many there are in each state, and which rings next.
    `Clients`  How many are connected, and how many of those watch.
    `Foreground`  Since when it has been in the foreground; or that it is not, since when and why.
    `Last span`  The last time in the background: when it began, how long it was, and why.
    `Sleep`  How it learns that the machine sleeps, and whether that waits for it.
    `Wake`  Whether a timer could wake the machine, and if not, why not.
    `Ring`  Whether a ring would be seen and heard, and if not, why not.
    `Commands`  How many commands of timers and hooks run, and how many wait for their turn.
    `Clock`  Whether the clock on the wall has been set right by the network.
    `Storage`  The folder of the database, the numbers of the oldest and the last event in the \
    ledger, and the ledger's name: one that is begun anew has another, and its numbers begin at 1.
    `Socket`  Where it listens.
    `Loss`, `Kept as`  What happened to the database since the daemon was started, which events are \
    missing, and the file in the state folder that has what was found: see nightjard(1).

    `Set aside`  Where a database is that was damaged.
    `Warning`  What else the daemon has to say.
    `Presets`  What is wrong with the presets of nightjar.toml(5).

    # EXIT STATUS
    0  A daemon runs.
    1  Refused; standard error says why.
    4  No daemon runs, and none could be started; with --no-start, no daemon runs.
    64  Wrong usage.

    # EXAMPLES
      $ nightjar status

    Where it listens, for a script:

      $ nightjar status | sed -n 's/^Socket: *//p'

    # SEE ALSO
    nightjar(1), nightjar-doctor(1), nightjar-events(1), nightjard(1), nightjar.toml(5), \
    org.nightjar.Timers(7)
    """
}
