// Made from org.nightjar.Bridge.varlink by varlink-swift. Do not edit: run `make generate`.

/// The interface `org.nightjar.Bridge`, in Varlink's interface language
/// (https://varlink.org/Interface-Definition).
public enum BridgeInterface {
  /// The name.
  public static let name = "org.nightjar.Bridge"

  /// The interface file, byte for byte: the answer to
  /// `org.varlink.service.GetInterfaceDescription`.
  public static let description = """
    # The bridge nightjar-mqtt, which connects a person's machines by an MQTT broker. Its socket is mqtt, beside that of
    # the daemon. Each other machine has a socket of its own with the interface org.nightjar.Timers: devices/DEVICE.
    interface org.nightjar.Bridge

    # Another machine of the person, as the broker has it.
    type Device (
      # Its name.
      device: string,
      # Whether it can be reached: online, asleep, offline or unknown.
      state: string,
      # Since when, on this machine's CLOCK_REALTIME. Of a machine that
      # the broker lost, this is when the broker noticed.
      since_usec: ?int,
      # How many of its timers are known here.
      timers: int,
      # How far its clock is ahead of this machine's, in microseconds;
      # absent if the difference is at most a second, or not known.
      clock_ahead_usec: ?int
    )

    # A ring of another machine that this machine noticed too late to ring.
    type MissedRing (
      # The machine.
      device: string,
      # The timer.
      name: string,
      # When it was due, on this machine's CLOCK_REALTIME.
      due_usec: int
    )

    # A machine of somebody who takes part in a session.
    type Member (
      # The person.
      person: string,
      # The person's machine.
      device: string,
      # Whether it can be reached: online, asleep or offline; unknown while
      # this machine has no connection to the broker.
      state: string,
      # Since when, on this machine's CLOCK_REALTIME.
      since_usec: ?int,
      # How many of its timers are in the session.
      timers: int
    )

    # A session in which this machine takes part.
    type Session (
      # The name of a timer, or what the names of several begin with.
      session: string,
      # The group whose members can take part.
      group: string,
      # How: shared (this machine shows its timers, too), joined, leaving
      # (the broker still has something of this machine), or left.
      part: string,
      # Whether the broker has accepted the session's connection.
      connected: bool,
      # Whether all that the broker retains of it was read.
      complete: bool,
      # Why it is not connected, or what the broker refuses, one sentence.
      reason: ?string,
      # How many timers of this machine are in it.
      timers: int,
      # Names of timers that are not, because they are too long or over the
      # limit; at most 16.
      unpublished: []string,
      # All who take part, this machine, too.
      members: []Member
    )

    # How much was sent or received since the bridge was started.
    type Traffic (messages: int, bytes: int)

    # The state of the bridge.
    method Status() -> (
      # The version of the bridge.
      version: string,
      # Its process.
      pid: int,
      # Where the broker is, as the configuration says.
      broker: string,
      # The person whose machines are connected.
      person: string,
      # What this machine is called among them.
      device: string,
      # Whether the broker has accepted the connection.
      connected: bool,
      # Whether all that the broker retains was read on this connection:
      # before, devices may not be all there are.
      complete: bool,
      # Since when it is connected or not; absent before the first attempt
      # has ended.
      since_usec: ?int,
      # Why it is not connected, one sentence.
      reason: ?string,
      # Why the daemon of this machine does not answer; absent if it does.
      daemon_reason: ?string,
      # How many timers of this machine are on the broker.
      timers: int,
      # Names of timers that are not, because they have too many segments
      # or are beyond the limit; at most 16.
      unpublished: []string,
      # How many messages of other machines were dropped, because they
      # made no sense or were beyond a limit.
      dropped: int,
      # What was published.
      sent: Traffic,
      # What arrived.
      received: Traffic,
      # The person's other machines.
      devices: []Device,
      # The last rings of other machines that were not rung here, because
      # this machine noticed them too late; at most 16.
      missed: ?[]MissedRing,
      # The sessions in which this machine takes part.
      sessions: ?[]Session
    )

    # Waits until another machine of the person is online, and replies then; at once if it is.
    method Await(device: string) -> (
      # online.
      state: string,
      # Since when, on this machine's CLOCK_REALTIME.
      since_usec: ?int
    )

    # Shows the timers of a path to the members of a group, as they are and as they become, and shows theirs on the socket
    # sessions/PATH. group: the group; without it the one that the configuration names. The bridge keeps this across
    # restarts, until Leave. The answer comes when the broker has taken it; without a connection it comes at once, and
    # within 5 seconds in any case.
    method Share(session: string, group: ?string) -> (session: Session)

    # As Share, and shows no timer of this machine.
    method Join(session: string, group: ?string) -> (session: Session)

    # Ends what Share or Join began, and removes from the broker what it has of this machine in the session. The answer
    # comes when that is done. Without a connection to the broker it comes at once, and the bridge does it later.
    method Leave(session: string) -> (session: Session)

    # No group was given, and the configuration names none.
    error NoGroup ()

    # This machine takes part in a session of that path in another group.
    error OtherGroup (session: string, group: string)

    # A machine of the person is called so, whose socket has that name.
    error MachineName (session: string)

    # This machine does not take part in the session.
    error NoSession (session: string)

    # This machine takes part in as many sessions as it can.
    error SessionLimit (limit: int)

    # The broker does not let the person take part in the group.
    error SessionRefused (session: string, group: string, reason: string)

    # Which sessions there are could not be written to disk, and nothing was changed.
    error NotSaved (reason: string)

    # Events of this machine's ledger behind the number after, the oldest first; none if there are no more. ledger: the name
    # of the ledger that numbers them. Only bridges of the person's other machines call this, by the broker.
    method Ledger(after: int) -> (ledger: string, events: []object)

    """
}
