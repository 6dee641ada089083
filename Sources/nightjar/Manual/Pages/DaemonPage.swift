extension ManualPage {
  /// nightjard(1). The daemon is another program: that the options are its own, a test sees.
  static let daemon = ManualPage(
    "nightjard", section: 1, summary: "keep timers while time is hidden",
    """
    # SYNOPSIS

    nightjard [--socket PATH] [--state-dir DIR] [--config PATH]

    # DESCRIPTION

    `nightjard` holds a user's timers. It is meant to run as a service of the user's own \
    systemd(1), and works without one as well. Programs talk to it over a socket, see \
    org.nightjar.Timers(7); nightjar(1) is its command line. It is one process with two threads, \
    and does not wake while nothing is due.

    A change that was acknowledged is on disk. Nothing rings early, as long as the clock is not \
    wrong in a way that nobody can see (WRONG CLOCKS), and nothing twice. What rings late says so, \
    with its cause.

    # OPTIONS

    --socket _PATH_  Listen here, and not at `$XDG_RUNTIME_DIR/nightjar/socket`. A socket that the \
    service manager hands over comes first.

    --state-dir _DIR_  Keep state here, and not in `$XDG_STATE_HOME/nightjar` or \
    `~/.local/state/nightjar`.

    --config _PATH_  Read the defaults of nightjar.toml(5) here, and not in \
    `$XDG_CONFIG_HOME/nightjar/config.toml` or `~/.config/nightjar/config.toml`. The file has to \
    be there.

    --help  Print the options.

    --version  Print the version.

    # BACKGROUND SPANS

    Everything that hides time from the daemon is one thing, a background span: it was entered at \
    one moment, and left at another. Going in, the entry timestamp is on disk before the machine \
    sleeps or the process stops, and nothing rings. Coming out, what came due rings at once, and \
    the span goes into the ledger. Spans that overlap are one, with several causes. What a span \
    takes from a countdown depends on its clock:

    `sleep`  Suspend or hibernation. Subtracted on the clock `elapsed`, and not on `awake`.

    `stop`  From SIGTSTP to SIGCONT. Subtracted on `elapsed`, and not on `awake`.

    `down`  The daemon was stopped, crashed or upgraded, and the machine was up. Subtracted on \
    both.

    `reboot`  The same with a reboot in between. Subtracted on `elapsed` by what the wall clock \
    says, which makes it an estimate: see WRONG CLOCKS. Not subtracted on `awake`.

    `freeze`  Nobody said so, and a deadline passed unseen by more than a second. Subtracted on \
    `elapsed`, and not on `awake`, as far as it is proven.

    Alarms, and countdowns on the clock `wall`, follow the calendar in all of them, and are worked \
    out anew when somebody sets the clock or the zone. What rings late because of that has the \
    cause `step`. The other clocks do not move when the wall clock is set. There are two more \
    causes of lateness: `paused`, of an alarm whose time passed while it was, and `busy`.

    A hypervisor that pauses a guest stops all of its clocks: nothing can be told afterwards, and \
    nothing is claimed.

    # WRONG CLOCKS

    Only the wall clock can tell how long a reboot took, and a machine without a battery clock \
    boots in 1970 or with the time of its last shutdown. A clock is vouched for if the kernel says \
    that it is synchronised, or if systemd-timesyncd has touched its mark since the clock was set \
    last. The daemon keeps the last reading that was vouched for, and each reboot since.

    Until the clock is vouched for, a reboot takes from countdowns what the wall clock says; if \
    that is less than the new boot has run, or more than 400 days, what the new boot has run. When \
    the clock is vouched for, with or without a step, after seconds or days, it is known how long \
    all these reboots took: `span_corrected` says so for each that was counted wrong. What was set \
    before them is then right to the second, and so is what was paused behind the last of them. \
    What was set or paused between two of them is never early; it may be late by what a wrong clock \
    hid.

    What is due only by a clock that is not vouched for waits for that, a minute from the daemon's \
    start at most: `wait` of nightjar.toml(5). nightjar-list(1) says what waits. After that it \
    rings, and is marked as `estimated`. If the clock turns out to have been ahead, it stays fired, \
    and nightjar-list(1), nightjar-show(1) and nightjar-why(1) say how early it rang.

    What repeats goes back to the round, the step or the alarm that is really next, where a clock \
    that was ahead had counted on: `rescheduled` says so. A round that rang early rings again at \
    its time. On `wall`, the last rounds that rang one after the other do not ring again when the \
    clock is set back. What has ended stays ended, and laps of a stopwatch stay as they were taken down.

    A policy holds for what is due by such a clock as well: with `--late skip` it does not ring \
    after the wait. A countdown on `wall`, or an alarm that is so far from now, goes to what the \
    clock is to show: if it is started while the clock is behind, it rings when that is set right.

    An alarm skips only instants that really rang: the last stretch of them without a gap, of at \
    most 90 days. When a clock that was ahead is set back, these do not ring again, and all others \
    do. No alarm rings for a time before it was started. One that is started while the clock is \
    ahead begins when the clock is set right: it does not make up for the time between. \
    nightjar-doctor(1) names alarms that skip.

    Two errors cannot be found. Errors may cancel out: if a clock came back an hour behind after \
    one long reboot and an hour ahead after the next, their sum is right, and a timer that was set \
    between the two is an hour early. And while a clock that is ahead is never vouched for, what is \
    due by it rings early after the wait, and the daemon cannot say so.

    # NOTIFICATIONS

    What rings is shown on the desktop, by the notification server of the session bus, until \
    somebody has answered it: with the buttons Snooze, Restart and Stop, or for a sequence the \
    next step. Dismissed in one place it is gone in all, and to close the notification is to \
    dismiss the ring. When several timers came due in one sleep, or more than three ring within a \
    second, they are one notification. A band that has a text shows it when it begins.

    Where the server plays sounds, it plays this one; where it does not, or there is none, \
    pw-play, paplay or aplay does, whichever is there. nightjar doctor says whether a ring would \
    be seen and heard, and nightjar doctor --ring tries it.

    What else is to happen when a timer rings, commands do: see nightjar-hooks(5).

    # SIGNALS

    `SIGTSTP`  Save, and really stop, as Ctrl-Z has it.
    `SIGCONT`  Go on. One by itself means: read the clocks.
    `SIGTERM`, `SIGINT`  Save, and end.
    `SIGHUP`  Read the configuration, the hooks and the time zones anew. No timer is touched.

    # ENVIRONMENT

    NIGHTJAR_SOCKET  Where to listen, if --socket does not say. Otherwise it is as in nightjar(1).

    XDG_RUNTIME_DIR, XDG_STATE_HOME, XDG_CONFIG_HOME  Where the socket, the state and the \
    configuration are; without the last two, below `HOME`.

    `TZ`, `TZDIR`  The zone that alarms without one go by, and where zones are; otherwise \
    `/etc/localtime` and `/usr/share/zoneinfo`. Both are watched for changes.

    DBUS_SYSTEM_BUS_ADDRESS  The bus on which logind is asked. Without a system bus sleep is told \
    from the clocks, afterwards.

    DBUS_SESSION_BUS_ADDRESS  The bus of the notification server and of the user's systemd; \
    otherwise it is `$XDG_RUNTIME_DIR/bus`. Without one rings are heard only, and commands are \
    children of the daemon.

    `PATH`, `HOME`  Where players of sounds and the programs of commands are looked for, and where \
    they begin, unless the timer has brought its own.

    NOTIFY_SOCKET, LISTEN_FDS, WATCHDOG_USEC, JOURNAL_STREAM  Set by systemd: see sd_notify(3), \
    sd_listen_fds(3), sd_watchdog_enabled(3) and systemd.exec(5).

    # FILES

    `$XDG_RUNTIME_DIR/nightjar/socket`  Where it listens, with mode 0600. Where that variable is \
    not set: in `/run/user/`_UID_ if that exists, else in the state folder.

    `~/.local/state/nightjar/nightjar.db`  The timers and the ledger, an SQLite database that \
    others may read while the daemon runs. A damaged one is set aside as \
    `nightjar.db.damaged-`_TIME_, never deleted. One that a newer version wrote is refused.

    `~/.local/state/nightjar/nightjar.db-wal`  SQLite's log of changes that are not in the database \
    yet. After a clean stop it is empty, and the database alone has everything.

    `~/.local/state/nightjar/nightjar.db-witness`  The ledger's name and the number of its last \
    event, for the next start: see LOST DATA. To begin anew, remove it with the database.

    The daemon starts only if its folder and the files in it belong to its user, and nobody else may \
    write to them; no symbolic link in the place of a file is followed. Its socket is not made in a \
    folder that others may write to, unless that is like `/tmp`. What is wrong is one sentence with \
    the remedy.

    `~/.local/state/nightjar/lock`  Held by the daemon that has this folder: there is one at a \
    time.

    `~/.local/state/nightjar/popups`  Which notifications are on the screen, for the next daemon.

    `~/.local/state/nightjar/children`  Which processes commands have become where there is no \
    service manager, for the next daemon.

    `~/.local/state/nightjar/nightjard.log`  What a daemon says that nightjar(1) has started \
    without systemd.

    `~/.config/nightjar/config.toml`  The daemon's defaults: nightjar.toml(5).

    `~/.config/nightjar/hooks`  Programs that are run on events: nightjar-hooks(5).

    # LOST DATA

    A database that has lost something that was acknowledged is never used in silence: \
    nightjar-status(1), nightjar-doctor(1) and a notification on the desktop say what was found and \
    which events are missing, until the daemon is restarted.

    At a start the daemon holds the database against its witness. One that ends before the \
    witness's number, because its log was removed or damaged or because it is an older backup, is \
    copied to `nightjar.db.damaged-`_TIME_ and used: what is in it goes on, and new events get \
    numbers above those that are missing. So is one that was changed since a clean stop. One that \
    makes no sense, is empty or is gone is set aside under that name, and a new one is begun. \
    Without a witness there is no such check.

    While the daemon runs, it compares the files with those it has opened at each change. When \
    the database or its log was removed, replaced, cut short, or turns out to be damaged, the daemon sets what \
    is left aside and writes a new database from memory. No timer is lost and no change is \
    refused; old events are kept as far as the old files can be read.

    When the disk reports an error, a change is refused and has not happened. If the error was that of \
    a sync, nobody can know what a loss of power before the next try would leave on the disk: \
    then the error is marked as in doubt, as it is while neither the database can be read nor a \
    new one be written.

    # SYSTEMD

    `nightjar.socket` listens from the login on, and starts `nightjar.service` for the first who \
    asks. Where nobody does, timers ring late, so both should be enabled:

      $ systemctl --user enable --now nightjar.socket nightjar.service

    A user's manager ends with the user's last session, unless the user lingers. Then it starts \
    with the machine:

      $ loginctl enable-linger

    The service says when it is ready, keeps a status line for systemctl(1), is watched by a \
    watchdog, reads its configuration anew on reload, and leaves the streams of its clients with \
    the manager, so that a restart, an upgrade or a crash does not end them. To stop it for good, \
    stop the socket too, or the next who asks starts it again:

      $ systemctl --user stop nightjar.socket nightjar.service

    Two drop-ins are installed in `share/nightjar`, for \
    `~/.config/systemd/user/nightjar.service.d`:

    `wake.conf`  Lets the daemon wake the machine for timers that were started with --wake. The \
    user's manager has to have CAP_WAKE_ALARM itself, as from systemd 254 on it has; before that \
    the file says what root has to do.

    `sandbox.conf`  Has those protections hold on systemd 252 and 253 that need a user namespace. \
    It rules out `wake.conf`.

    # LOG

    In the journal each entry that is about timers or the machine has NIGHTJAR_EVENT, an event's \
    name as in org.nightjar.Timers(7), and what belongs to it: NIGHTJAR_TIMER, NIGHTJAR_SEQ, \
    NIGHTJAR_LATE_USEC, NIGHTJAR_SPAN, NIGHTJAR_CAUSE, NIGHTJAR_ELAPSED_USEC, \
    NIGHTJAR_OFFSET_USEC, and NIGHTJAR_OUTCOME of a command that failed. Lines that a command \
    prints have the name `action_output`. Elsewhere entries are lines on standard error.

    # EXIT STATUS

    0  Ended by a signal, with everything saved.
    1  It could not start, or could not save; the log says why.
    64  Wrong usage.

    # EXAMPLES

    By hand, beside the daemon there may be:

      $ nightjard --socket /tmp/try/socket --state-dir /tmp/try &
      $ nightjar --socket /tmp/try/socket start tea 4min
      tea: 4 min, rings at 14:32:10

    What rang, and how late, since yesterday:

      $ journalctl --user --since yesterday NIGHTJAR_EVENT=fired

    # SEE ALSO

    nightjar(1), nightjar-doctor(1), nightjar-status(1), nightjar-hooks(5), nightjar.toml(5), \
    nightjar.time(7), nightjar-promises(7), org.nightjar.Timers(7), systemctl(1), loginctl(1), \
    systemd.service(5), systemd.socket(5), \
    systemd-logind(8)
    """)
}
