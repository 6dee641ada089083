import ArgumentParser
import NightjarClient
import NightjarInterface
import Varlink

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show timers, with what rings first; --json is for programs.")

  @Argument(
    help: ArgumentHelp(
      "Show only this path and the timers under it, such as run/….", valueName: "prefix"),
    completion: TimerCompletion.names)
  var prefix: String?

  @Option(
    help: ArgumentHelp(
      "Show only timers in this state, or with such a ring; may be given several times."))
  var state: [ListedState] = []

  @Flag(help: "Also show the timers of your other machines; see nightjar-mqtt(1).")
  var everywhere = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let bridge = try everywhere ? Self.bridge(socket) : nil
    let others = bridge?.devices.map(\.device) ?? []
    let session = try Session.open(socket)
    var (timers, isFound) = try timers(in: session, of: bridge?.device)
    for device in others {
      do throws(CommandError) {
        let more = try self.timers(in: try Session.open(SocketOption.device(device)), of: device)
        timers += more.timers
        isFound = isFound || more.isFound
      } catch {
        // The bridge is optional: this machine's own timers are listed all the same.
        Output.complain("\(error.message)")
      }
    }
    if !isFound, let prefix { throw NamePattern(prefix).absence(in: session) }
    let document: JSONValue = ["timers": .array(timers)]
    guard !format.isJSON else { return Output.ready(document.text) }
    Output.ready(
      Self.lines(
        try timers.map { (try Session.timer($0), $0["device"]?.stringValue) }, at: .here))
    if let bridge {
      BridgeSession.sayWhoIsAway(of: others, bridge)
    } else if let device = socket.device {
      guard !BridgePaths.isSession(try Session.socketPath(socket)) else {
        return try BridgeSession.sayIfDisconnected()
      }
      try BridgeSession.sayIfAway(device)
    }
  }

  /// A timer, and its machine if several machines are shown.
  typealias Placed = (timer: Wire.Timer, machine: String?)

  /// The timers to list, as the daemon sends them, and whether there is any timer under the path.
  ///
  /// - Parameter machine: the machine to name in each timer; nil: none.
  func timers(
    in daemon: some Answering, of machine: String? = nil
  ) throws(CommandError) -> (timers: [JSONValue], isFound: Bool) {
    var timers: [JSONValue] = []
    let (states, ringing) = (state.compactMap(\.state), state.compactMap(\.ringing))
    try daemon.forEachPage(prefix: path, states: states, ringing: ringing) { page in
      timers += (page["timers"]?.arrayValue ?? []).map { json in
        machine.map { json.setting("device", .string($0)) } ?? json
      }
    }
    guard timers.isEmpty, path != nil else { return (timers, true) }
    var question = Wire.List()
    (question.prefix, question.limit) = (path, 1)
    return (timers, try !Session.timers(in: daemon.call(Call(question))).isEmpty)
  }

  /// The bridge's status, which lists all machines.
  private static func bridge(_ socket: SocketOption) throws(CommandError) -> BridgeWire.Status.Reply
  {
    guard socket.device == nil else {
      throw .usage("--everywhere shows all machines; leave out @\(socket.device ?? "")")
    }
    guard let bridge = try BridgeSession.openIfRunning() else { throw BridgeSession.notRunning }
    return try bridge.status()
  }

  /// The table of timers, with times relative to `wall` and in its zone.
  static func lines(_ timers: [Wire.Timer], at wall: WallClock) -> [String] {
    lines(timers.map { ($0, nil) }, at: wall)
  }

  private static func lines(_ timers: [Placed], at wall: WallClock) -> [String] {
    guard !timers.isEmpty else { return Terminal.isOutput ? ["no timers"] : [] }
    let rows = timers.sorted { TimerOrder.isBefore($0.timer, $1.timer) }.map {
      (
        text: TimerText($0.timer, nowUsec: wall.nowUsec, zone: wall.zone),
        machine: $0.machine.map { ["@\($0)"] } ?? []
      )
    }
    // The output for scripts always has the same columns.
    let hasMore = !Terminal.isOutput || rows.contains { !$0.text.more.isEmpty }
    let hasRing = !Terminal.isOutput || rows.contains { !ring($0.text).isEmpty }
    let hasMachine = rows.contains { !$0.machine.isEmpty }
    var table = Table(
      header: (hasMachine ? ["MACHINE"] : []) + ["NAME", "STATE", "REMAINING", "RINGS"]
        + (hasRing ? ["RING"] : []) + (hasMore ? ["WHAT"] : []))
    for (text, machine) in rows {
      table.add(
        machine + row(text) + (hasRing ? [ring(text)] : []) + (hasMore ? [text.more] : []),
        style: style(text.timer))
    }
    return table.lines
  }

  /// The prefix without the dots at its end. The user may leave out the dots, because this argument
  /// is always a prefix.
  private var path: String? {
    guard let prefix else { return nil }
    switch NamePattern(prefix) {
    case .name(let name): return name
    case .prefix(let path): return path
    }
  }

  private static func row(_ text: TimerText) -> [String] {
    let timer = text.timer
    // Scripts always get hours, minutes and seconds.
    let left = Terminal.isOutput ? text.remaining : text.remainingInHours
    let remaining = timer.state == .cancelled && !text.isStopwatch ? "" : left
    let rings =
      switch timer.state {
      case .running where timer.waitsForClock || timer.away: text.rings
      case .running:
        timer.scheduledRingUsec.map {
          // Scripts always get seconds.
          Terminal.isOutput
            ? text.point($0) : LocalTime.short($0, nowUsec: text.nowUsec, in: text.zone)
        } ?? ""
      case .paused, .waiting, .over, .cancelled, .other: ""
      }
    return [timer.name, timer.state.rawValue, remaining, rings]
  }

  /// The timer's ring, and the expiries that did not ring.
  private static func ring(_ text: TimerText) -> String {
    [text.ring, text.miss].compactMap(\.self).joined(separator: "; ")
  }

  private static func style(_ timer: Wire.Timer) -> Terminal.Style? {
    switch timer.state {
    case _ where timer.hasRung: .yellow
    case .running: .green
    case .waiting: .yellow
    case .paused, .over, .cancelled: .dim
    case .other: nil
    }
  }
}
