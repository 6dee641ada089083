import NightjarWire

extension ManualPage {
  /// org.nightjar.Timers(7): how to talk to the daemon, and the interface as it describes itself.
  static let interface: ManualPage = {
    let interface = InterfaceText(TimersInterface.description)
    let blocks =
      ManualBlock.blocks(interfaceIntroduction)
      + [.section("METHODS")] + interface.blocks(.method)
      + ManualBlock.blocks(interfaceEvents) + [.section("TYPES")] + interface.blocks(.type)
      + [.section("ERRORS")] + interface.blocks(.error) + ManualBlock.blocks(interfaceEnd)
    return ManualPage(
      TimersInterface.name, section: 7,
      summary: "what nightjard speaks: its socket and its methods",
      blocks: blocks)
  }()

  private static let interfaceIntroduction = """
    # DESCRIPTION

    nightjard(1) listens on a UNIX socket, and speaks Varlink on it. Everything that nightjar(1) \
    does is done by this, and any program of the same user may do it, too; root's may, others may \
    not. From Swift there is the library NightjarClient.

    The socket is `$XDG_RUNTIME_DIR/nightjar/socket`, unless somebody has said otherwise; nightjar \
    status tells where it is. A connection to it starts the daemon where systemd listens.

    # MESSAGES

    A message is a JSON object and a NUL byte behind it, \(Limits.frameBytes / 1024) KiB at most. \
    A call has a `method`, with the name of its interface in front, and its `parameters`:

      {"method": "org.nightjar.Timers.Get", "parameters": {"name": "tea"}}

    A reply has `parameters` as well, or an `error` with its own:

      {"parameters": {"timer": {"id": 2, "name": "tea", ...}}}
      {"error": "org.nightjar.Timers.TimerNotFound",
       "parameters": {"name": "tea"}}

    Calls on one connection are answered in their order. More may be sent before the first is \
    answered. Beside its parameters a call may have one of these, as true:

    `more`  As many replies as there are to come, each but the last with "continues": true. \
    `Watch` and `Events` need it, `List` may have it.
    `oneway`  No reply.

    Parameters that are not in the interface are refused with \
    `org.varlink.service.InvalidParameter`. The interface describes itself: \
    `org.varlink.service.GetInterfaceDescription` answers with what this page is made of. In it, \
    ?x is what may be left out, []x an array, and [string]x an object with any keys.

    Durations and points in time are integers in microseconds. A point in time counts from the \
    epoch on CLOCK_REALTIME, unless its name says boottime: then on CLOCK_BOOTTIME of this boot.

    A reply to a change, and an event that tells of it, come when the change is on disk.

    # WATCHING

    `Watch` tells first what is there, then every change. `Events` tells the ledger from any \
    number on, then what comes. Both take `after`, the number of the last event seen, to go on \
    behind it on another connection: nothing is missed then, and nothing comes twice. Under \
    systemd the streams of both outlive a restart of the daemon, also those that are still reading \
    what was before; elsewhere, and after a crash in mid-reply, the connection ends, and the client \
    asks again with `after`.

    Who reads too slowly slows nobody else: ticks are left out first, then changes are folded into \
    the latest, and `missed_after` says so. For all who watch together at most \
    \(Limits.watchersBytes / 1_048_576) MiB wait to be read: beyond that, the streams for which the \
    most waits end with the error `TooSlow`. Its `after` is the number to ask again behind, over the \
    same connection or another; the library NightjarClient and nightjar(1) do so by themselves. At \
    most \(Limits.connections) connections are open at a time.

    # EXAMPLES

    With nc(1) of netcat-openbsd. Ask once:

      $ socket=$(nightjar status | sed -n 's/^Socket: *//p')
      $ call='{"method": "org.nightjar.Timers.Get",
          "parameters": {"name": "tea"}}'
      $ printf '%s\\0' "$call" | nc -UN "$socket" | tr '\\0' '\\n'

    Start a timer, and leave one that is there as it is:

      $ call='{"method": "org.nightjar.Timers.Start", "parameters":
          {"name": "tea", "duration_usec": 240000000, "if_absent": true}}'
      $ printf '%s\\0' "$call" | nc -UN "$socket" | tr '\\0' '\\n'

    Follow all timers under a path:

      $ call='{"method": "org.nightjar.Timers.Watch", "more": true,
          "parameters": {"prefix": "run"}}'
      $ printf '%s\\0' "$call" | nc -U "$socket" | tr '\\0' '\\n'

    With a Varlink client (pip install varlink):

      $ python3 -m varlink.cli help "unix:$socket/org.nightjar.Timers"
      $ python3 -m varlink.cli call \\
          "unix:$socket/org.nightjar.Timers.Get" '{"name": "tea"}'
    """

  private static let interfaceEvents = """
    # EVENTS

    What `type` of an `Event` may be. Later versions may have more. Those of timers have `name` \
    and `id`:

    \(EventList.text(EventWords.ofTimers))

    Those of the machine have neither:

    \(EventList.text(EventWords.ofMachine))

    Those of commands, which are explained in nightjar-hooks(5), have event_seq, the number of the \
    event that called for them:

    \(EventList.text(EventWords.ofActions))
    """

  private static let interfaceEnd = """
    # SEE ALSO

    nightjar(1), nightjar-events(1), nightjar-watch(1), nightjard(1), nightjar-hooks(5), nc(1), \
    unix(7)

    https://varlink.org
    """
}
