// Made from org.nightjar.Bridge.varlink by varlink-swift. Do not edit.

/// The interface `org.nightjar.Bridge`, in Varlink's interface language
/// (https://varlink.org/Interface-Definition).
public enum BridgeInterface {
  /// The name.
  public static let name = "org.nightjar.Bridge"

  /// The interface file, byte for byte: the answer to
  /// `org.varlink.service.GetInterfaceDescription`.
  public static let description = """
    # The bridge nightjar-mqtt, which connects a person's machines through an MQTT broker. Its socket is mqtt, in the folder
    # of the daemon's socket. Each other machine has a socket with the interface org.nightjar.Timers: devices/DEVICE.
    interface org.nightjar.Bridge

    # Whether a machine can be reached.
    type MachineState (
      # It is connected to the broker.
      online,
      # It announced that it goes to sleep.
      asleep,
      # The broker lost the connection to it.
      offline,
      # Its daemon does not answer.
      no_daemon,
      # That is not known.
      unknown
    )

    # How a machine takes part in a session.
    type Part (
      # It also shows its timers.
      shared,
      # It shows no timers.
      joined,
      # It is leaving, and the broker still stores something of it.
      leaving,
      # It has left.
      left
    )

    # Another machine of the person, as the broker knows it.
    type Device (
      # Its name.
      device: string,
      # Whether it can be reached.
      state: MachineState,
      # Since when, on its CLOCK_REALTIME. Of a machine that the broker
      # lost, this is when the broker noticed, on the CLOCK_REALTIME here.
      since_usec: ?int,
      # How many of its timers are known here.
      timers: int,
      # Whether it has said that its clock is synchronised. If not, no
      # other machine rings for it, and it rings for no other.
      clock_synchronized: bool
    )

    # A ring of another machine that this machine noticed too late to play.
    type MissedRing (
      # The machine.
      device: string,
      # The timer.
      name: string,
      # When it was due, on that machine's CLOCK_REALTIME.
      due_usec: int
    )

    # A machine that takes part in a session.
    type Member (
      # The person.
      person: string,
      # The person's machine.
      device: string,
      # Whether it can be reached.
      state: MachineState,
      # Since when, as in Device.
      since_usec: ?int,
      # How many of its timers are in the session.
      timers: int
    )

    # A session in which this machine takes part.
    type Session (
      # The name of a timer, or the first segments of the names of
      # several.
      session: string,
      # The group whose members can take part.
      group: string,
      # How it takes part.
      part: Part,
      # Whether the broker has accepted the connection of this machine.
      connected: bool,
      # Whether all retained messages of the session were read.
      complete: bool,
      # Why it is not connected, or what the broker refuses: one sentence.
      reason: ?string,
      # How many timers of this machine are in it.
      timers: int,
      # Names of timers that are not in it, because they are too long or
      # over the limit; at most 16.
      unpublished: []string,
      # All machines that take part, including this one.
      members: []Member
    )

    # How much was sent or received since the bridge was started.
    type Traffic (messages: int, bytes: int)

    # The state of the bridge.
    method Status() -> (
      # The version of the bridge.
      version: string,
      # The ID of its process.
      pid: int,
      # The address of the broker, from the configuration.
      broker: string,
      # The person whose machines are connected.
      person: string,
      # The name of this machine among them.
      device: string,
      # Whether the broker has accepted the connection.
      connected: bool,
      # Whether all retained messages were read on this connection. Before
      # that, devices may be incomplete.
      complete: bool,
      # Since when it is connected or not connected; absent before the
      # first attempt has ended.
      since_usec: ?int,
      # Why it is not connected, or what the broker refuses: one sentence.
      reason: ?string,
      # What the user can do about that; absent if the bridge tries again.
      remedy: ?string,
      # Why the daemon of this machine does not answer; absent if it does.
      daemon_reason: ?string,
      # How many timers of this machine are on the broker.
      timers: int,
      # Names of timers that are not, because they have too many segments
      # or are over the limit; at most 16. The reason names those that are
      # too long for the broker.
      unpublished: []string,
      # How many messages of other machines were dropped, because they
      # were invalid or over a limit.
      dropped: int,
      # What was published.
      sent: Traffic,
      # What arrived.
      received: Traffic,
      # The person's other machines.
      devices: []Device,
      # The last rings of other machines that were not rung here, because
      # this machine noticed them too late; at most 16.
      missed: []MissedRing,
      # The sessions in which this machine takes part.
      sessions: []Session
    )

    # Waits until another machine of the person is online, and then replies; at once if it is online.
    method Await(device: string) -> (
      # Always online.
      state: MachineState,
      # Since when, as in Device.
      since_usec: ?int
    )

    # Shows the timers below a path, and each change of them, to the members of a group, and shows theirs on the socket
    # sessions/PATH. group: the group; without it, the one that the configuration names. The bridge continues this after a
    # restart, until Leave. The reply comes when the broker has accepted it. Without a connection it comes at once, and in
    # any case within 5 seconds.
    method Share(session: string, group: ?string) -> (session: Session)

    # Like Share, but shows no timer of this machine.
    method Join(session: string, group: ?string) -> (session: Session)

    # Ends what Share or Join began, and removes from the broker what it stores of this machine in the session. The reply
    # comes when that is done. Without a connection to the broker it comes at once, and the bridge does the rest later.
    method Leave(session: string) -> (session: Session)

    # No group was given, and the configuration names none.
    error NoGroup ()

    # This machine takes part in a session of this path in another group.
    error OtherGroup (session: string, group: string)

    # A machine of the person has this name, and its socket the same path.
    error MachineName (session: string)

    # This machine does not take part in the session.
    error NoSession (session: string)

    # This machine takes part in the highest allowed number of sessions.
    error SessionLimit (limit: int)

    # The broker does not let the person take part in the group.
    error SessionRefused (session: string, group: string, reason: string)

    # The list of sessions could not be written to disk, so nothing was changed.
    error NotSaved (reason: string)

    # The events of this machine's ledger after the number after, the oldest first; none if there are no more. ledger: the
    # name of the ledger that numbers them. Only bridges of the person's other machines call this, through the broker.
    method Ledger(after: int) -> (ledger: string, events: []object)

    """
}
