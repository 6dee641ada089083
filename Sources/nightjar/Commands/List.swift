import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarVarlink

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract:
      "Show timers: first timers that rang, then running timers by their next ring, then "
      + "paused timers and stopwatches.")

  @Argument(
    help: ArgumentHelp(
      "Show only this path and the timers under it, such as run/….", valueName: "prefix"),
    completion: TimerCompletion.names)
  var prefix: String?

  @Option(help: ArgumentHelp("Show only timers in this state; may be given several times."))
  var state: [ListedState] = []

  @Flag(help: "Also show the timers of your other machines; see nightjar-mqtt(1).")
  var everywhere = false

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let bridge = try everywhere ? Self.bridge(socket) : nil
    let others = bridge?.devices.map(\.device) ?? []
    var timers = try timers(of: try Session.open(socket), on: bridge?.device)
    for device in others {
      do throws(CommandError) {
        timers += try self.timers(
          of: try Session.open(SocketOption.device(device)), on: device)
      } catch {
        // The bridge is optional: this machine's own timers are listed all the same.
        Output.complain(error.message)
      }
    }
    guard !format.isJSON else { return }
    Output.ready(Self.lines(timers, at: .here))
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
  typealias Placed = (timer: NightjarTimer, machine: String?)

  private func timers(
    of session: Session, on machine: String?
  ) throws(CommandError) -> [Placed] {
    var timers: [Placed] = []
    try session.forEachPage(prefix: path, states: asked ?? []) { (page) throws(CommandError) in
      guard !format.isJSON else {
        let page = meant(page)
        return Output.ready((machine.map { page.setting("device", .string($0)) } ?? page).text)
      }
      timers += try Session.timers(in: meant(page)).map { ($0, machine) }
    }
    return timers
  }

  /// The bridge's status, which lists all machines.
  private static func bridge(_ socket: SocketOption) throws(CommandError) -> BridgeStatus {
    guard socket.device == nil else {
      throw .usage("--everywhere shows all machines; leave out @\(socket.device ?? "")")
    }
    guard let bridge = try BridgeSession.openIfRunning() else { throw BridgeSession.notRunning }
    return try bridge.status()
  }

  /// The call for the first page.
  var call: Call { .list(prefix: path, states: asked) }

  /// The states to ask the daemon for, each once; nil: all.
  private var asked: [NightjarTimer.State]? {
    state.isEmpty ? nil : Set(state.map(\.state)).sorted { $0.rawValue < $1.rawValue }
  }

  /// The page, reduced to the timers in the states that the user gave. The daemon's reply may
  /// contain others, because some words of `--state`, such as `skipped`, are no states of the
  /// daemon.
  func meant(_ page: JSONValue) -> JSONValue {
    guard !state.isEmpty, let timers = page["timers"]?.arrayValue else { return page }
    var words = Set(state.map(\.word))
    if words.contains(TimersInterface.State.fired.rawValue) { words.insert("ringing") }
    let meant = timers.filter { json in
      (try? NightjarTimer(json)).map { words.contains(TimerText($0).stateWord) } ?? true
    }
    return page.setting("timers", .array(meant))
  }

  /// The table of timers, with times relative to `wall` and in its zone.
  static func lines(_ timers: [NightjarTimer], at wall: WallClock) -> [String] {
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
    let hasMachine = rows.contains { !$0.machine.isEmpty }
    var table = Table(
      header: (hasMachine ? ["MACHINE"] : []) + ["NAME", "STATE", "REMAINING", "RINGS"]
        + (hasMore ? ["WHAT"] : []))
    for (text, machine) in rows {
      table.add(machine + row(text) + (hasMore ? [text.more] : []), style: style(text.timer))
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
      case .running where timer.waitsForClock || timer.isAway: text.rings
      case .running:
        timer.deadlineUsec.map { LocalTime.short($0, nowUsec: text.nowUsec, in: text.zone) } ?? ""
      case .fired, .waiting: text.rang
      case .paused, .cancelled, .other: ""
      }
    return [timer.name, text.stateWord, remaining, rings]
  }

  private static func style(_ timer: NightjarTimer) -> Terminal.Style? {
    switch timer.state {
    case .running where timer.ringsAndContinues: .yellow
    case .running: .green
    case .fired where timer.isSkipped: .dim
    case .fired, .waiting: .yellow
    case .paused, .cancelled: .dim
    case .other: nil
    }
  }
}
