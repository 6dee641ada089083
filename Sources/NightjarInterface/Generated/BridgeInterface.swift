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
      missed: ?[]MissedRing
    )

    # Waits until another machine of the person is online, and replies then; at once if it is.
    method Await(device: string) -> (
      # online.
      state: string,
      # Since when, on this machine's CLOCK_REALTIME.
      since_usec: ?int
    )

    # Events of this machine's ledger behind the number after, the oldest first; none if there are no more. ledger: the name
    # of the ledger that numbers them. Only bridges of the person's other machines call this, by the broker.
    method Ledger(after: int) -> (ledger: string, events: []object)

    """
}
