// Made from org.nightjar.Bridge.varlink by varlink-swift. Do not edit.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

package import Varlink

/// The types of `org.nightjar.Bridge`.
package enum BridgeWire {}

extension BridgeWire {
  /// Whether a machine can be reached.
  package struct MachineState: OpenWireWord {
    /// It is connected to the broker.
    package static let online: Self = "online"
    /// It announced that it goes to sleep.
    package static let asleep: Self = "asleep"
    /// The broker lost the connection to it.
    package static let offline: Self = "offline"
    /// Its daemon does not answer.
    package static let noDaemon: Self = "no_daemon"
    /// That is not known.
    package static let unknown: Self = "unknown"

    package static let allCases: [MachineState] = [.online, .asleep, .offline, .noDaemon, .unknown]

    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension BridgeWire {
  /// How a machine takes part in a session.
  package struct Part: OpenWireWord {
    /// It also shows its timers.
    package static let shared: Self = "shared"
    /// It shows no timers.
    package static let joined: Self = "joined"
    /// It is leaving, and the broker still stores something of it.
    package static let leaving: Self = "leaving"
    /// It has left.
    package static let left: Self = "left"

    package static let allCases: [Part] = [.shared, .joined, .leaving, .left]

    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension BridgeWire {
  /// Another machine of the person, as the broker knows it.
  package struct Device: WireStructure {
    /// Its name.
    package var device: String
    /// Whether it can be reached.
    package var state: BridgeWire.MachineState
    /// Since when, on its CLOCK_REALTIME. Of a machine that the broker lost, this is when the
    /// broker noticed, on the CLOCK_REALTIME here.
    package var sinceUsec: Int64?
    /// How many of its timers are known here.
    package var timers: Int64
    /// Whether it has said that its clock is synchronised. If not, no other machine rings for it,
    /// and it rings for no other.
    package var clockSynchronized: Bool

    /// The optional fields are absent.
    package init(
      device: String, state: BridgeWire.MachineState, timers: Int64, clockSynchronized: Bool
    ) {
      self.device = device
      self.state = state
      self.timers = timers
      self.clockSynchronized = clockSynchronized
    }

    package static var blank: Self {
      Self(device: .blank, state: .blank, timers: .blank, clockSynchronized: .blank)
    }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("device", &device)
      try reader.field("state", &state)
      try reader.field("since_usec", &sinceUsec)
      try reader.field("timers", &timers)
      try reader.field("clock_synchronized", &clockSynchronized)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("device", device)
      writer.field("state", state)
      writer.field("since_usec", sinceUsec)
      writer.field("timers", timers)
      writer.field("clock_synchronized", clockSynchronized)
    }
  }
}

extension BridgeWire {
  /// A ring of another machine that this machine noticed too late to play.
  package struct MissedRing: WireStructure {
    /// The machine.
    package var device: String
    /// The timer.
    package var name: String
    /// When it was due, on that machine's CLOCK_REALTIME.
    package var dueUsec: Int64

    /// The optional fields are absent.
    package init(device: String, name: String, dueUsec: Int64) {
      self.device = device
      self.name = name
      self.dueUsec = dueUsec
    }

    package static var blank: Self { Self(device: .blank, name: .blank, dueUsec: .blank) }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("device", &device)
      try reader.field("name", &name)
      try reader.field("due_usec", &dueUsec)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("device", device)
      writer.field("name", name)
      writer.field("due_usec", dueUsec)
    }
  }
}

extension BridgeWire {
  /// A machine that takes part in a session.
  package struct Member: WireStructure {
    /// The person.
    package var person: String
    /// The person's machine.
    package var device: String
    /// Whether it can be reached.
    package var state: BridgeWire.MachineState
    /// Since when, as in Device.
    package var sinceUsec: Int64?
    /// How many of its timers are in the session.
    package var timers: Int64

    /// The optional fields are absent.
    package init(person: String, device: String, state: BridgeWire.MachineState, timers: Int64) {
      self.person = person
      self.device = device
      self.state = state
      self.timers = timers
    }

    package static var blank: Self {
      Self(person: .blank, device: .blank, state: .blank, timers: .blank)
    }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("person", &person)
      try reader.field("device", &device)
      try reader.field("state", &state)
      try reader.field("since_usec", &sinceUsec)
      try reader.field("timers", &timers)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("person", person)
      writer.field("device", device)
      writer.field("state", state)
      writer.field("since_usec", sinceUsec)
      writer.field("timers", timers)
    }
  }
}

extension BridgeWire {
  /// A session in which this machine takes part.
  package struct Session: WireStructure {
    /// The name of a timer, or the first segments of the names of several.
    package var session: String
    /// The group whose members can take part.
    package var group: String
    /// How it takes part.
    package var part: BridgeWire.Part
    /// Whether the broker has accepted the connection of this machine.
    package var connected: Bool
    /// Whether all retained messages of the session were read.
    package var complete: Bool
    /// Why it is not connected, or what the broker refuses: one sentence.
    package var reason: String?
    /// How many timers of this machine are in it.
    package var timers: Int64
    /// Names of timers that are not in it, because they are too long or over the limit; at most 16.
    package var unpublished: [String]
    /// All machines that take part, including this one.
    package var members: [BridgeWire.Member]

    /// The optional fields are absent.
    package init(
      session: String, group: String, part: BridgeWire.Part, connected: Bool, complete: Bool,
      timers: Int64, unpublished: [String], members: [BridgeWire.Member]
    ) {
      self.session = session
      self.group = group
      self.part = part
      self.connected = connected
      self.complete = complete
      self.timers = timers
      self.unpublished = unpublished
      self.members = members
    }

    package static var blank: Self {
      Self(
        session: .blank, group: .blank, part: .blank, connected: .blank, complete: .blank,
        timers: .blank, unpublished: .blank, members: .blank
      )
    }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("session", &session)
      try reader.field("group", &group)
      try reader.field("part", &part)
      try reader.field("connected", &connected)
      try reader.field("complete", &complete)
      try reader.field("reason", &reason)
      try reader.field("timers", &timers)
      try reader.field("unpublished", &unpublished)
      try reader.field("members", &members)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("session", session)
      writer.field("group", group)
      writer.field("part", part)
      writer.field("connected", connected)
      writer.field("complete", complete)
      writer.field("reason", reason)
      writer.field("timers", timers)
      writer.field("unpublished", unpublished)
      writer.field("members", members)
    }
  }
}

extension BridgeWire {
  /// How much was sent or received since the bridge was started.
  package struct Traffic: WireStructure {
    package var messages: Int64
    package var bytes: Int64

    /// The optional fields are absent.
    package init(messages: Int64, bytes: Int64) {
      self.messages = messages
      self.bytes = bytes
    }

    package static var blank: Self { Self(messages: .blank, bytes: .blank) }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("messages", &messages)
      try reader.field("bytes", &bytes)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("messages", messages)
      writer.field("bytes", bytes)
    }
  }
}

extension BridgeWire {
  /// The state of the bridge.
  package struct Status: WireMethod {
    /// All fields are absent.
    package init() {}

    package static var blank: Self { Self() }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
    }

    package func writeMembers(to writer: inout JSONWriter) {
    }

    package static let method: StaticString = "org.nightjar.Bridge.Status"

    /// The reply of Status.
    package struct Reply: WireStructure {
      /// The version of the bridge.
      package var version: String
      /// The ID of its process.
      package var pid: Int64
      /// The address of the broker, from the configuration.
      package var broker: String
      /// The person whose machines are connected.
      package var person: String
      /// The name of this machine among them.
      package var device: String
      /// Whether the broker has accepted the connection.
      package var connected: Bool
      /// Whether all retained messages were read on this connection. Before that, devices may be
      /// incomplete.
      package var complete: Bool
      /// Since when it is connected or not connected; absent before the first attempt has ended.
      package var sinceUsec: Int64?
      /// Why it is not connected, or what the broker refuses: one sentence.
      package var reason: String?
      /// What the user can do about that; absent if the bridge tries again.
      package var remedy: String?
      /// Why the daemon of this machine does not answer; absent if it does.
      package var daemonReason: String?
      /// How many timers of this machine are on the broker.
      package var timers: Int64
      /// Names of timers that are not, because they have too many segments or are over the limit;
      /// at most 16. The reason names those that are too long for the broker.
      package var unpublished: [String]
      /// How many messages of other machines were dropped, because they were invalid or over a
      /// limit.
      package var dropped: Int64
      /// What was published.
      package var sent: BridgeWire.Traffic
      /// What arrived.
      package var received: BridgeWire.Traffic
      /// The person's other machines.
      package var devices: [BridgeWire.Device]
      /// The last rings of other machines that were not rung here, because this machine noticed
      /// them too late; at most 16.
      package var missed: [BridgeWire.MissedRing]
      /// The sessions in which this machine takes part.
      package var sessions: [BridgeWire.Session]

      /// The optional fields are absent.
      package init(
        version: String, pid: Int64, broker: String, person: String, device: String,
        connected: Bool, complete: Bool, timers: Int64, unpublished: [String], dropped: Int64,
        sent: BridgeWire.Traffic, received: BridgeWire.Traffic, devices: [BridgeWire.Device],
        missed: [BridgeWire.MissedRing], sessions: [BridgeWire.Session]
      ) {
        self.version = version
        self.pid = pid
        self.broker = broker
        self.person = person
        self.device = device
        self.connected = connected
        self.complete = complete
        self.timers = timers
        self.unpublished = unpublished
        self.dropped = dropped
        self.sent = sent
        self.received = received
        self.devices = devices
        self.missed = missed
        self.sessions = sessions
      }

      package static var blank: Self {
        Self(
          version: .blank, pid: .blank, broker: .blank, person: .blank, device: .blank,
          connected: .blank, complete: .blank, timers: .blank, unpublished: .blank, dropped: .blank,
          sent: .blank, received: .blank, devices: .blank, missed: .blank, sessions: .blank
        )
      }

      package mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("version", &version)
        try reader.field("pid", &pid)
        try reader.field("broker", &broker)
        try reader.field("person", &person)
        try reader.field("device", &device)
        try reader.field("connected", &connected)
        try reader.field("complete", &complete)
        try reader.field("since_usec", &sinceUsec)
        try reader.field("reason", &reason)
        try reader.field("remedy", &remedy)
        try reader.field("daemon_reason", &daemonReason)
        try reader.field("timers", &timers)
        try reader.field("unpublished", &unpublished)
        try reader.field("dropped", &dropped)
        try reader.field("sent", &sent)
        try reader.field("received", &received)
        try reader.field("devices", &devices)
        try reader.field("missed", &missed)
        try reader.field("sessions", &sessions)
      }

      package func writeMembers(to writer: inout JSONWriter) {
        writer.field("version", version)
        writer.field("pid", pid)
        writer.field("broker", broker)
        writer.field("person", person)
        writer.field("device", device)
        writer.field("connected", connected)
        writer.field("complete", complete)
        writer.field("since_usec", sinceUsec)
        writer.field("reason", reason)
        writer.field("remedy", remedy)
        writer.field("daemon_reason", daemonReason)
        writer.field("timers", timers)
        writer.field("unpublished", unpublished)
        writer.field("dropped", dropped)
        writer.field("sent", sent)
        writer.field("received", received)
        writer.field("devices", devices)
        writer.field("missed", missed)
        writer.field("sessions", sessions)
      }
    }
  }
}

extension BridgeWire {
  /// Waits until another machine of the person is online, and then replies; at once if it is
  /// online.
  package struct Await: WireMethod {
    package var device: String

    /// The optional fields are absent.
    package init(device: String) {
      self.device = device
    }

    package static var blank: Self { Self(device: .blank) }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("device", &device)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("device", device)
    }

    package static let method: StaticString = "org.nightjar.Bridge.Await"

    /// The reply of Await.
    package struct Reply: WireStructure {
      /// Always online.
      package var state: BridgeWire.MachineState
      /// Since when, as in Device.
      package var sinceUsec: Int64?

      /// The optional fields are absent.
      package init(state: BridgeWire.MachineState) {
        self.state = state
      }

      package static var blank: Self { Self(state: .blank) }

      package mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("state", &state)
        try reader.field("since_usec", &sinceUsec)
      }

      package func writeMembers(to writer: inout JSONWriter) {
        writer.field("state", state)
        writer.field("since_usec", sinceUsec)
      }
    }
  }
}

extension BridgeWire {
  /// Shows the timers below a path, and each change of them, to the members of a group, and shows
  /// theirs on the socket sessions/PATH. group: the group; without it, the one that the
  /// configuration names. The bridge continues this after a restart, until Leave. The reply comes
  /// when the broker has accepted it. Without a connection it comes at once, and in any case within
  /// 5 seconds.
  package struct Share: WireMethod {
    package var session: String
    package var group: String?

    /// The optional fields are absent.
    package init(session: String) {
      self.session = session
    }

    package static var blank: Self { Self(session: .blank) }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("session", &session)
      try reader.field("group", &group)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("session", session)
      writer.field("group", group)
    }

    package static let method: StaticString = "org.nightjar.Bridge.Share"

    /// The reply of Share.
    package struct Reply: WireStructure {
      package var session: BridgeWire.Session

      /// The optional fields are absent.
      package init(session: BridgeWire.Session) {
        self.session = session
      }

      package static var blank: Self { Self(session: .blank) }

      package mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("session", &session)
      }

      package func writeMembers(to writer: inout JSONWriter) {
        writer.field("session", session)
      }
    }
  }
}

extension BridgeWire {
  /// Like Share, but shows no timer of this machine.
  package struct Join: WireMethod {
    package var session: String
    package var group: String?

    /// The optional fields are absent.
    package init(session: String) {
      self.session = session
    }

    package static var blank: Self { Self(session: .blank) }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("session", &session)
      try reader.field("group", &group)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("session", session)
      writer.field("group", group)
    }

    package static let method: StaticString = "org.nightjar.Bridge.Join"
    package typealias Reply = BridgeWire.Share.Reply
  }
}

extension BridgeWire {
  /// Ends what Share or Join began, and removes from the broker what it stores of this machine in
  /// the session. The reply comes when that is done. Without a connection to the broker it comes at
  /// once, and the bridge does the rest later.
  package struct Leave: WireMethod {
    package var session: String

    /// The optional fields are absent.
    package init(session: String) {
      self.session = session
    }

    package static var blank: Self { Self(session: .blank) }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("session", &session)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("session", session)
    }

    package static let method: StaticString = "org.nightjar.Bridge.Leave"
    package typealias Reply = BridgeWire.Share.Reply
  }
}

extension BridgeWire {
  /// The events of this machine's ledger after the number after, the oldest first; none if there
  /// are no more. ledger: the name of the ledger that numbers them. Only bridges of the person's
  /// other machines call this, through the broker.
  package struct Ledger: WireMethod {
    package var after: Int64

    /// The optional fields are absent.
    package init(after: Int64) {
      self.after = after
    }

    package static var blank: Self { Self(after: .blank) }

    package mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("after", &after)
    }

    package func writeMembers(to writer: inout JSONWriter) {
      writer.field("after", after)
    }

    package static let method: StaticString = "org.nightjar.Bridge.Ledger"

    /// The reply of Ledger.
    package struct Reply: WireStructure {
      package var ledger: String
      package var events: [RawJSON]

      /// The optional fields are absent.
      package init(ledger: String, events: [RawJSON]) {
        self.ledger = ledger
        self.events = events
      }

      package static var blank: Self { Self(ledger: .blank, events: .blank) }

      package mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("ledger", &ledger)
        try reader.field("events", &events)
      }

      package func writeMembers(to writer: inout JSONWriter) {
        writer.field("ledger", ledger)
        writer.field("events", events)
      }
    }
  }
}
