import NightjarWire

extension ManualPage {
  /// nightjar-hooks(5). That all events and variables are here, a test sees.
  static let hooks = ManualPage(
    "nightjar-hooks", section: 5, summary: "programs that nightjard runs when something happens",
    """
    # SYNOPSIS

    $XDG_CONFIG_HOME/nightjar/hooks/EVENT.d/NAME
    ~/.config/nightjar/hooks/EVENT.d/NAME

    # DESCRIPTION

    A hook is a program that nightjard(1) runs on every event of a type, whatever timer it is \
    about. It lies in a folder that is named after the type, beside the configuration file: what \
    is in `fired.d` is run whenever a timer rings. Hooks of one event are started in the order of \
    their names, and do not wait for one another. What is hidden, ends in ~ or may not be executed \
    is passed over.

    What is changed in the folders counts at once. Where `~/.config/nightjar` was not there when \
    the daemon started, it has to be told: systemctl --user reload nightjar.service.

    The command that a timer brings along, with --exec or --shell of nightjar-start(1), is run in \
    the same way. All that follows is about both, and calls them commands.

    # EVENTS

    Of timers:

    \(EventList.text(EventWords.ofTimers))

    Of the machine, for hooks only:

    \(EventList.text(EventWords.ofMachine))

    A hook is run on the one type that its folder is named after: `fired` is not `stepped`. For \
    --exec-on `fired` stands for every ring, also for `stepped` and `step_ended`.

    # ENVIRONMENT

    On every event:

    NIGHTJAR_EVENT  Its type.
    NIGHTJAR_SEQ  Its number in the ledger.
    NIGHTJAR_TIME_USEC  When it was, in microseconds since 1970.
    NIGHTJAR_JSON  All of it, as nightjar events --json has it; not there beyond 120 KiB.
    NIGHTJAR_ATTEMPT  1, or more if it is started again.
    NIGHTJAR_REHEARSAL  1 where nightjar rehearse --hooks runs it, and not there otherwise.
    NIGHTJAR_SOCKET  The daemon's socket, so that `nightjar` asks the right one.

    On those that are about a timer, as it was then:

    NIGHTJAR_NAME  Its name.
    NIGHTJAR_ID  Its number, which is new at each start.
    NIGHTJAR_KIND  countdown, alarm, stopwatch or sequence.
    NIGHTJAR_STATE  running, paused, fired, cancelled or waiting.
    NIGHTJAR_DURATION_USEC  How long it is, in microseconds.
    NIGHTJAR_REMAINING_USEC  How much of that remains.
    NIGHTJAR_ELAPSED_USEC  How much has passed; of `lapped`, the lap.
    NIGHTJAR_BAND  The band that it is in, if it is in one.
    NIGHTJAR_STEP  The step that it is at, of a sequence.
    NIGHTJAR_DATA  Its data, a JSON object.
    NIGHTJAR_LABEL__KEY_  Each of its labels. In the key, letters are capitals and what is neither \
    letter nor digit is _: the label `red team` is NIGHTJAR_LABEL_RED_TEAM.

    Some events have more:

    NIGHTJAR_LATE_USEC  How late it rang or would have, in microseconds.
    NIGHTJAR_LATE_CAUSE  Why, if it was late: a cause of nightjard(1).
    NIGHTJAR_ESTIMATED  1 if it rang only by a wall clock that nothing vouched for, after a reboot, \
    and not there otherwise. It may have been early: see nightjard(1).
    NIGHTJAR_MISSED  Of what comes again, how many others were missed.
    NIGHTJAR_CAUSES  Of a span, why time was hidden, with blanks between several causes. \
    NIGHTJAR_ELAPSED_USEC is its length then.
    NIGHTJAR_OFFSET_USEC  Of `clock_stepped`, by how much.
    NIGHTJAR_COUNT  Of `came_due`, how many timers.
    NIGHTJAR_ZONE  Of `zone_changed`, the new one.

    A daemon that was started before the screen cannot know of it. So whoever starts a timer with \
    --exec or --shell lends it the like of `DISPLAY`, WAYLAND_DISPLAY, XAUTHORITY, \
    XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS, SSH_AUTH_SOCK, `PATH`, `HOME` and `LANG`, and what \
    --env says. Hooks have that as well on the events of such a timer, and on others what the \
    service manager or the daemon has.

    # HOW THEY ARE RUN

    Where there is a systemd(1) of the user's, each is a transient service of its own, called \
    `nightjar-action-…` or `nightjar-hook-…`: what the daemon's unit is kept from it may do, and a \
    restart of the daemon does not end it. Elsewhere it is a child of the daemon, in a session of \
    its own. It begins in the home folder, with nothing to read on its standard input, and no \
    shell takes part unless --shell asks for it.

    A hook is run only if no other user can have written it: it, its folder, the folder `hooks` and \
    the one beside it belong to you or to root, and neither their group nor all others may write to \
    them. One that is not run for that is named in the log, and by nightjar doctor with what to do. \
    In a user namespace, as systemd may make one for the daemon, root's files look like nobody's: \
    there a symbolic link of your own may lead to them.

    What it prints goes line by line into the daemon's log, so into the journal, up to \
    \(Limits.loggedBytes / 1024) KiB or \(Limits.loggedLines) lines. The rest is thrown away, and \
    its length is told.

    It may take a minute, or as long as --exec-timeout says. After that all of its processes get \
    SIGTERM, and 5 seconds later SIGKILL.

    The commands of one timer run one after another, and so do those of one hook; at most \
    \(Limits.actionsWaitingOfOne) of them wait, and of more the oldest is dropped. Of all others \
    \(Limits.actionsAtOnce) run at a time, however many wait.

    While the machine sleeps or the daemon is stopped, none is started; those of \
    `did_enter_background` may be, and sleep does not wait for them; where the daemon itself is \
    stopped, they run when it goes on.

    Each is run at least once: it is on disk with its event before it is started. If the daemon \
    crashes and nobody can say whether it has ended, it is started again, \(Limits.actionAttempts) \
    times in all. So twice should do no harm. While the first may still run, the next one waits for \
    it. One that fails is not started again. While the daemon has no descriptors or memory left to \
    start them with, commands wait; the log says so.

    Its beginning and its end are in the ledger, as `action_started` and `action_ended`, and \
    nightjar why tells of them; a failure is in the log as well. No command is run on these two.

    # FILES

    `~/.config/nightjar/hooks`  The folders. It is beside the file that nightjard --config names, \
    else in XDG_CONFIG_HOME where that is set.

    # EXAMPLES

    Say what rings:

      $ mkdir -p ~/.config/nightjar/hooks/fired.d
      $ cat >~/.config/nightjar/hooks/fired.d/10-say <<'END'
      #!/bin/sh
      echo "$NIGHTJAR_NAME rang, $NIGHTJAR_LATE_USEC µs late"
      END
      $ chmod +x ~/.config/nightjar/hooks/fired.d/10-say

    And read it:

      $ journalctl --user NIGHTJAR_EVENT=action_output

    Try it, in no time:

      $ printf 'start tea 4min\\nrun\\n' | nightjar rehearse - --hooks

    A command of one timer's, when it rings and when it comes into a band:

      $ nightjar start bread 50min --band 5min=soon \\
          --shell 'echo "$NIGHTJAR_NAME $NIGHTJAR_EVENT" >>~/rang' \\
          --exec-on fired,band_crossed

    # SEE ALSO

    nightjar(1), nightjar-events(1), nightjar-rehearse(1), nightjar-start(1), nightjard(1), \
    nightjar.toml(5), org.nightjar.Timers(7), journalctl(1), systemd.service(5)
    """)
}
