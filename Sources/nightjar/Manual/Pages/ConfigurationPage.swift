import NightjarConfig
import NightjarWire

extension ManualPage {
  /// nightjar.toml(5). That all keys are here, a test sees.
  static let configuration = ManualPage(
    "nightjar.toml", section: 5,
    summary: "the configuration of nightjard and of nightjar's presets",
    """
    # SYNOPSIS

    $XDG_CONFIG_HOME/nightjar/config.toml
    ~/.config/nightjar/config.toml

    # DESCRIPTION

    One file, in TOML, and none is needed. Each table has one reader: `[daemon]` and `[clock]` the \
    daemon, when it starts and on SIGHUP, `[presets.`_NAME_`]` nightjar-start(1), each time. What \
    the command line says comes before the preset, and what a timer says before the daemon's defaults. A \
    reload touches no timer that is there.

    A time span is a text such as "1h 30min", as nightjar.time(7) has it, or a whole number of \
    seconds. It is at most 100 years. "25M" is refused, since M is months: write "25min", or \
    "25month".

    # THE DAEMON

    Keys of `[daemon]`:

    `late`  What becomes of what comes due while nobody can see it, where its timer does not say: \
    "fire", "skip", or a time span: ring if it is no later than that. "fire" is built in.

    `missed`  What becomes of what comes due several times unseen: "once", "each" or "skip", as in \
    nightjar-start(1). "once" is built in.

    `notify`  Whether what rings is shown on the desktop: `true` or `false`. `true` is built in.

    `sound`  What is heard of a ring, where its timer does not say: a file, by its path from `/` \
    or from `~/`, or `false` for nothing. A chime is built in.

    `snooze`  How long the button of a notification puts a ring off: a time span of a second at \
    least. "5min" is built in.

    `retention_days`  How many days the ledger is kept, from 1 to 36525. 90 is built in.

    `retention_events`  How many events of it are kept, from 1 to 1000000000. 1000000 is built in.

    `maximum_timers`  At most so many timers, in whatever state, from 1 to \(Limits.timers). \
    \(Limits.timers) is built in.

    # THE CLOCK

    The key of `[clock]`:

    `wait`  After a reboot with a wall clock that nothing vouches for: how long, from the daemon's \
    start, what is due only by that clock waits for it to be set; see nightjard(1). 0 switches it \
    off: then it rings at once, and may be early. "60s" is built in.

    # PRESETS

    A table `[presets.`_NAME_`]` says what nightjar start _NAME_ starts, and what is added to \
    nightjar start _NAME_ _DURATION_. nightjar start --no-preset leaves it out. All keys may be \
    left out. A name with a slash or a space stands in quotes: `[presets."run/4711/mate"]`.

    What the timer does is one of these:

    `duration`  A countdown, and how long it is: a time span.

    `alarm`  When it rings: a point in time or a calendar expression, as for nightjar-alarm(1).

    `stopwatch`  `true`: it counts up.

    `steps`  A sequence: an array of steps; see below.

    And these belong to them:

    `zone`  Of an alarm: the time zone, such as "Europe/Berlin". It is the machine's unless it is \
    said.

    `repeat`  Of a duration or an alarm: `true`, or how often it rings, from 1 to 1000000. Once \
    unless it is said, or unless the alarm is a calendar expression.

    `rounds`  Of steps: how often they are gone through, up to 1000000; 0 is without end. Once \
    unless it is said.

    `long_every`  Of steps: in every how many rounds a step takes its `long` time.

    `after_sleep`  Of steps: "continue", "pause" or "restart", as in nightjar-sequence(1). \
    "continue" unless it is said.

    All timers may have these, which are as the options of nightjar-start(1) of those names:

    `clock`  "elapsed", "awake" or "wall". "elapsed" unless it is said; an alarm has none.

    `late`  "fire", "skip", or a time span. As `[daemon]` says unless it is said.

    `missed`  "once", "each" or "skip". As `[daemon]` says unless it is said.

    `wake`  `true`: wake the machine for it. `false` unless it is said.

    `bands`  An array of bands, the most time remaining first; see below.

    `exec`  A command that is run when it rings: a text, taken apart as --exec has it, or an array \
    of its words.

    `shell`  The same for /bin/sh, in place of `exec`: a text.

    `exec_on`  On which events the command is run: a text or an array of texts, such as \
    ["fired", "band_crossed"]. nightjar-hooks(5) has all. When it rings, unless it is said; a \
    stopwatch needs this.

    `exec_timeout`  How long the command may take: a time span of at most a day. A minute unless \
    it is said.

    `env`  A table of texts: variables for the command. Those of --env are added, and come first \
    where they have the same name.

    `sound`  What is heard when it rings: a file, by its path from `/` or from `~/`. As `[daemon]` \
    says unless it is said.

    `silent`  `true`: nothing is heard when it rings. `false` unless it is said.

    `labels`  A table of texts, at most \(Limits.labels). Those of the command line are added, and \
    come first where they have the same key.

    `data`  A table that becomes a JSON object of at most \(Limits.dataBytes) bytes.

    `replace`  `true`: start anew over a timer of that name. `false` unless it is said.

    `if_absent`  `true`: leave a timer of that name as it is, unless it is over. `false` unless it \
    is said.

    A stopwatch never rings: it has no `bands`, `late`, `missed` and `wake`.

    ## Steps

    A step is a text such as "work=25min", or a table:

    `name`  What it is called.
    `duration`  How long it is: a time span of at least 100 ms.
    `long`  How long it is in long rounds.
    `waits`  `true`: at its end it waits for nightjar advance.
    `break`  `true` or `false`. Unless it is said, a step is a break whose name ends in rest, \
    break or pause.

    ## Bands

    A band is a text such as "60s=warn", or a table:

    `name`  What it is called.
    `remaining`  How much remains when it begins: a time span.
    `color`  In what colour it is shown, such as "red" or "#ff8800"; see nightjar-start(1).
    `text`  What is shown with it.
    `progress`  From where to where the progress goes in it, such as [0.9, 1.0].

    # MISTAKES

    A mistake is one sentence with its line. It stops nothing that works without: a daemon that \
    starts goes by what is built in, one that reloads by what it had before, and nightjar status \
    says so. nightjar start _NAME_ _DURATION_ starts the timer without the preset. nightjar doctor \
    looks at every preset.

    A file of more than 1 MiB is refused, and so is a key that nobody reads. So is a file that another \
    user can have written: it and its folder belong to you or to root, and neither their group nor \
    all others may write to them; a folder such as `/tmp` will do.

    # FILES

    `$XDG_CONFIG_HOME/nightjar/config.toml`, `~/.config/nightjar/config.toml`  The second where \
    XDG_CONFIG_HOME is not set. nightjard --config names another for the daemon.

    # EXAMPLES

      \(example.replacing("\n", with: "\n  "))

    Read it, and use it:

      $ systemctl --user reload nightjar.service
      $ nightjar start tea
      tea: 4 min, rings at 14:32:10 (preset tea)
      $ nightjar start tea 6min
      $ nightjar start pomodoro

    # SEE ALSO

    nightjar(1), nightjar-doctor(1), nightjar-start(1), nightjard(1), nightjar-hooks(5), \
    nightjar.time(7)

    https://toml.io
    """)

  /// A whole file.
  private static let example = """
    [daemon]
    late = "1h"             # what came due over an hour ago is silent
    snooze = "10min"
    retention_days = 30

    [clock]
    wait = "2min"           # no battery clock, and a slow network

    [presets.tea]
    duration = "4min"
    labels = { kind = "drink" }
    sound = "~/kettle.oga"
    replace = true

    [presets.exam]
    duration = "2h"
    wake = true
    exec = ["sh", "-c", "echo $NIGHTJAR_NAME $NIGHTJAR_EVENT"]
    exec_on = ["fired", "band_crossed"]
    bands = [
      "15min=soon",
      { name = "last", remaining = 60, color = "red", text = "Hurry" },
    ]

    [presets.standup]
    alarm = "Mon..Fri 09:30"
    zone = "Europe/Berlin"

    [presets.pomodoro]
    steps = [
      "work=25min",
      { name = "rest", duration = "5min", long = "20min" },
    ]
    rounds = 0              # without end
    long_every = 4
    after_sleep = "restart"
    """
}
