import ArgumentParser

extension ManualPage {
  /// nightjar(1): the program as a whole, and where to read on.
  static let overview = ManualPage(
    "nightjar", section: 1, summary: "timers that outlive sleep, suspension and restarts",
    """
    # SYNOPSIS

    nightjar COMMAND [ARGUMENT ...]
    nightjar DURATION

    # DESCRIPTION

    Nightjar keeps timers, alarms, stopwatches and sequences of steps, each under a name of its \
    own. They live in a small daemon, nightjard(1), and are kept right through everything that \
    hides time from a process: suspend and hibernation, SIGTSTP, a crash, an upgrade, a reboot, a \
    clock that is set. When there is somebody to ask again, what has passed is subtracted, every \
    active timer runs, and what came due meanwhile rings and says how late it is and why.

    The command `nightjar` talks to that daemon. Where none runs, the first command that needs it \
    starts it: as the user's service if the units are installed, else by itself.

    `nightjar` _DURATION_ is short for nightjar-start(1) without a name. How durations, points in \
    time and calendar expressions are written is in nightjar.time(7).

    # COMMANDS

    \(commands)

    # NAMES

    A name is a path of segments with slashes between them, such as `tea` or `run/4711/mate`. It \
    has at most 255 bytes, no control characters and no empty segment.

    Most commands that change timers take several names. A name that ends in `/…` or `/...` stands \
    for all under that path and for the path itself: `run/…` is `run` and `run/4711`, and not \
    `runner`. With --all they take all timers that are in a state for it. What can be done is \
    done, what is refused is told on standard error, and the exit status is that of the worst.

    # OPTIONS

    These are every command's, and each has a page of its own with the others.

    --json  Print the daemon's own answers, one JSON object a line, as org.nightjar.Timers(7) has \
    them. Most commands have this; it may stand in front of the command, too.

    --socket _PATH_  The daemon's socket, instead of NIGHTJAR_SOCKET or the usual place. It may \
    stand in front of the command, too.

    `-h`, --help  Print what there is to say in short.

    --version  Print the version.

    # EXIT STATUS

    0  Done. A list with nothing in it is done, too.
    1  Refused: the daemon or the machine does not let it be. Standard error says why, and what to \
    do.
    3  There is no timer of that name.
    4  No daemon runs, and none could be started; or it does not answer.
    64  Wrong usage.

    nightjar-wait(1) and nightjar-doctor(1) have a few of their own.

    # ENVIRONMENT

    NIGHTJAR_SOCKET  The daemon's socket.

    NIGHTJAR_TIMEOUT  How long to wait for the daemon's answer, as a time span; 10s unless it is \
    set. `infinity` is for ever.

    XDG_RUNTIME_DIR  The socket is `nightjar/socket` in it. Where it is not set, as in cron or \
    under sudo, `/run/user/`_UID_ takes its place if that exists, and the daemon's state folder if \
    it does not.

    XDG_STATE_HOME, XDG_CONFIG_HOME, `HOME`  Where the daemon that is started keeps its state, and \
    where nightjar.toml(5) is.

    `TZ`  The time zone that times are read and printed in; otherwise it is the machine's.

    NO_COLOR  If it is set to anything, nothing is in colour. Output that does not go to a \
    terminal never is.

    # FILES

    `$XDG_RUNTIME_DIR/nightjar/socket`  Where the daemon listens; nightjar status tells where that \
    is. Where the daemon there is another user's, nightjar sends it nothing, as root neither.

    `~/.config/nightjar/config.toml`  Presets for nightjar start, and the daemon's defaults; see \
    nightjar.toml(5).

    `~/.config/nightjar/hooks`  Programs that are run when something happens; see \
    nightjar-hooks(5).

    `~/.local/state/nightjar`  What the daemon keeps; see nightjard(1).

    # EXAMPLES

    A timer, from its start to its end:

      $ nightjar start tea 4min
      tea: 4 min, rings at 14:32:10
      $ nightjar extend tea 30s
      tea: 30 s more, rings at 14:32:40
      $ nightjar wait tea && echo "tea is ready"
      tea is ready
      $ nightjar why tea

    What rings next, and what has rung:

      $ nightjar list

    Every working day, wherever the machine is:

      $ nightjar alarm standup 'Mon..Fri 9:30' --zone Europe/Berlin

    # SEE ALSO

    nightjard(1), nightjar-hooks(5), nightjar.toml(5), nightjar.time(7), org.nightjar.Timers(7), systemd.time(7)

    https://varlink.org
    """)

  /// What there is, in the groups in which the help has it.
  private static var commands: String {
    Nightjar.configuration.groupedSubcommands.map { group in
      let entries = group.subcommands.filter { $0.configuration.shouldDisplay }.map { command in
        let configuration = command.configuration
        return "nightjar-\(configuration.commandName ?? "")(1)  \(configuration.abstract)"
      }
      return "## \(group.name)\n\n" + entries.joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
