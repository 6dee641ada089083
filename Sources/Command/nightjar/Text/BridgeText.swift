import NightjarClient
import NightjarInterface
import NightjarTime

struct BridgeText {
  let status: BridgeWire.Status.Reply
  let nowUsec: Int64

  init(_ status: BridgeWire.Status.Reply, nowUsec: Int64) {
    self.status = status
    self.nowUsec = nowUsec
  }

  var lines: [String] {
    var rows = [
      ("Bridge", "nightjar-mqtt \(status.version), process \(status.pid)"),
      ("Broker", broker), ("As", name), ("Timers", timers),
    ]
    if status.connected, let reason = status.reason { rows.append(("Refused", reason)) }
    if let remedy = status.remedy { rows.append(("Remedy", remedy)) }
    if let reason = status.daemonReason { rows.append(("Daemon", "does not answer: \(reason)")) }
    if status.dropped > 0 {
      rows.append(
        ("Dropped", "\(status.dropped) messages that made no sense or were over a limit"))
    }
    if !status.missed.isEmpty {
      let rings = status.missed.map { "\($0.name) of \($0.device), due \(point($0.dueUsec))" }
      rows.append(("Missed", rings.joined(separator: "; ")))
    }
    rows.append(
      (
        "Traffic",
        "sent \(traffic(status.sent)), received \(traffic(status.received))"
      ))
    let lines = Columns.lines(rows) + machines
    return lines + status.sessions.flatMap(session)
  }

  private var machines: [String] {
    guard !status.devices.isEmpty else { return ["no other machine is known"] }
    var table = Table(header: ["MACHINE", "STATE", "SINCE", "TIMERS"])
    for device in status.devices {
      table.add(
        [
          "@\(device.device)", "\(device.state)", device.sinceUsec.map(point) ?? "",
          "\(device.timers)",
        ], style: device.state == .online ? .green : .dim)
    }
    return table.lines
  }

  /// The lines about a session and its members.
  private func session(_ session: BridgeWire.Session) -> [String] {
    var state = "\(session.part)"
    if !session.connected { state += ", not connected" }
    if let reason = session.reason { state += ": \(reason)" }
    var lines = ["@\(session.session) with \(session.group): \(state)"]
    if !session.unpublished.isEmpty {
      lines.append("  \(SessionText(session).unpublished)")
    }
    var table = Table(header: ["MEMBER", "STATE", "SINCE", "TIMERS"])
    for member in session.members {
      table.add(
        [
          "\(member.person)/\(member.device)", "\(member.state)",
          member.sinceUsec.map(point) ?? "", "\(member.timers)",
        ], style: member.state == .online ? .green : .dim)
    }
    return lines + table.lines
  }

  /// The text about a machine that is away, such as `laptop is asleep since 21:40`; nil: the
  /// machine is online.
  func absence(of device: String) -> String? {
    guard let known = status.devices.first(where: { $0.device == device }) else { return nil }
    guard known.state != .online else { return nil }
    return CommandError.away(
      device, known.state.rawValue, sinceUsec: known.sinceUsec, nowUsec: nowUsec)
  }

  /// The text about a lost connection, such as `this machine is not connected to the broker since
  /// 21:40`.
  var disconnection: String {
    CommandError.away(
      status.device, Wire.AwayState.noBroker.rawValue, sinceUsec: status.sinceUsec,
      nowUsec: nowUsec)
  }

  /// The name of this machine at the broker.
  var name: String { "\(status.person)/\(status.device)" }

  /// The broker's address, and since when the bridge is connected; or since when it is not
  /// connected, and the reason.
  var broker: String {
    let since = status.sinceUsec.map { " since \(point($0))" } ?? ""
    guard !status.connected else { return "\(status.broker), connected\(since)" }
    let reason = status.reason.map { ": \($0)" } ?? ""
    return "\(status.broker), not connected\(since)\(reason)"
  }

  /// The number of timers on the broker, and the timers that are missing there.
  var timers: String {
    let count = "\(status.timers) of this machine are on the broker"
    guard !status.unpublished.isEmpty else { return count }
    let names = status.unpublished.map { "'\($0)'" }.joined(separator: ", ")
    return "\(count), and not \(names): too many segments, or too many timers"
  }

  private func traffic(_ traffic: BridgeWire.Traffic) -> String {
    "\(traffic.messages) messages (\(traffic.bytes) bytes)"
  }

  private func point(_ usec: Int64) -> String { LocalTime.short(usec, nowUsec: nowUsec) }
}
