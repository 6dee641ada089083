// Made from org.nightjar.Bridge.varlink and bridge-values by varlink-swift. Do not edit: run `make generate`.

package import Varlink

/// The state of the bridge.
package struct BridgeStatus: Equatable, Sendable, ReadableStructure {
  /// The version of the bridge.
  package let version: String
  /// The ID of its process.
  package let processID: Int64
  /// The address of the broker, from the configuration.
  package let broker: String
  /// The person whose machines are connected.
  package let person: String
  /// The name of this machine among them.
  package let device: String
  /// Whether the broker has accepted the connection.
  package let isConnected: Bool
  /// Whether all retained messages were read on this connection. Before that, devices may be
  /// incomplete.
  package let isComplete: Bool
  /// Since when it is connected or not connected; absent before the first attempt has ended.
  package let sinceUsec: Int64?
  /// Why it is not connected, or what the broker refuses: one sentence.
  package let reason: String?
  /// What the user can do about that; absent if the bridge tries again.
  package let remedy: String?
  /// Why the daemon of this machine does not answer; absent if it does.
  package let daemonReason: String?
  /// How many timers of this machine are on the broker.
  package let timers: Int64
  /// Names of timers that are not, because they have too many segments or are over the limit; at
  /// most 16. The reason names those that are too long for the broker.
  package let unpublished: [String]
  /// How many messages of other machines were dropped, because they were invalid or over a limit.
  package let dropped: Int64
  /// What was published.
  package let sent: BridgeStatus.Traffic
  /// What arrived.
  package let received: BridgeStatus.Traffic
  /// The person's other machines.
  package let devices: [BridgeStatus.Device]
  /// The last rings of other machines that were not rung here, because this machine noticed them
  /// too late; at most 16.
  package let missed: [BridgeStatus.MissedRing]
  /// The sessions in which this machine takes part.
  package let sessions: [BridgeStatus.Session]

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "status")
    version = try fields.value("version")
    processID = try fields.value("pid")
    broker = try fields.value("broker")
    person = try fields.value("person")
    device = try fields.value("device")
    isConnected = try fields.value("connected")
    isComplete = try fields.value("complete")
    sinceUsec = try fields.optional("since_usec")
    reason = try fields.optional("reason")
    remedy = try fields.optional("remedy")
    daemonReason = try fields.optional("daemon_reason")
    timers = try fields.value("timers")
    unpublished = try fields.value("unpublished")
    dropped = try fields.value("dropped")
    sent = try fields.value("sent")
    received = try fields.value("received")
    devices = try fields.value("devices")
    missed = try fields.value("missed")
    sessions = try fields.value("sessions")
  }
}

extension BridgeStatus {
  /// How much was sent or received since the bridge was started.
  package struct Traffic: Equatable, Sendable, ReadableStructure {
    /// `messages`
    package let messages: Int64
    /// `bytes`
    package let bytes: Int64

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "traffic")
      messages = try fields.value("messages")
      bytes = try fields.value("bytes")
    }
  }
}

extension BridgeStatus {
  /// Another machine of the person, as the broker knows it.
  package struct Device: Equatable, Sendable, ReadableStructure {
    /// Its name.
    package let device: String
    /// Whether it can be reached: online, asleep, offline, no_daemon (its daemon does not answer)
    /// or unknown.
    package let state: String
    /// Since when, on this machine's CLOCK_REALTIME. Of a machine that the broker lost, this is
    /// when the broker noticed.
    package let sinceUsec: Int64?
    /// How many of its timers are known here.
    package let timers: Int64
    /// How far its clock is ahead of this machine's, in microseconds; absent if the difference is
    /// at most a second, or is not known.
    package let clockAheadUsec: Int64?

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "device")
      device = try fields.value("device")
      state = try fields.value("state")
      sinceUsec = try fields.optional("since_usec")
      timers = try fields.value("timers")
      clockAheadUsec = try fields.optional("clock_ahead_usec")
    }
  }
}

extension BridgeStatus {
  /// A ring of another machine that this machine noticed too late to play.
  package struct MissedRing: Equatable, Sendable, ReadableStructure {
    /// The machine.
    package let device: String
    /// The timer.
    package let name: String
    /// When it was due, on this machine's CLOCK_REALTIME.
    package let dueUsec: Int64

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "missed_ring")
      device = try fields.value("device")
      name = try fields.value("name")
      dueUsec = try fields.value("due_usec")
    }
  }
}

extension BridgeStatus {
  /// A session in which this machine takes part.
  package struct Session: Equatable, Sendable, ReadableStructure {
    /// The name of a timer, or the first segments of the names of several.
    package let session: String
    /// The group whose members can take part.
    package let group: String
    /// How it takes part: shared (this machine also shows its timers), joined, leaving (the broker
    /// still stores something of this machine), or left.
    package let part: String
    /// Whether the broker has accepted the session's connection.
    package let isConnected: Bool
    /// Whether all retained messages of the session were read.
    package let isComplete: Bool
    /// Why it is not connected, or what the broker refuses: one sentence.
    package let reason: String?
    /// How many timers of this machine are in it.
    package let timers: Int64
    /// Names of timers that are not in it, because they are too long or over the limit; at most 16.
    package let unpublished: [String]
    /// All machines that take part, including this one.
    package let members: [BridgeStatus.Member]

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "session")
      session = try fields.value("session")
      group = try fields.value("group")
      part = try fields.value("part")
      isConnected = try fields.value("connected")
      isComplete = try fields.value("complete")
      reason = try fields.optional("reason")
      timers = try fields.value("timers")
      unpublished = try fields.value("unpublished")
      members = try fields.value("members")
    }
  }
}

extension BridgeStatus {
  /// A machine that takes part in a session.
  package struct Member: Equatable, Sendable, ReadableStructure {
    /// The person.
    package let person: String
    /// The person's machine.
    package let device: String
    /// Whether it can be reached, a word of OwnerState.
    package let state: String
    /// Since when, on this machine's CLOCK_REALTIME.
    package let sinceUsec: Int64?
    /// How many of its timers are in the session.
    package let timers: Int64

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "member")
      person = try fields.value("person")
      device = try fields.value("device")
      state = try fields.value("state")
      sinceUsec = try fields.optional("since_usec")
      timers = try fields.value("timers")
    }
  }
}
