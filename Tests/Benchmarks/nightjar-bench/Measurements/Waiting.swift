internal import Glibc
internal import NightjarInterface

/// Measures what programs cost that wait: an idle daemon, and a face and a bridge with one timer.
struct Waiting {
  let setting: Setting

  private static let name = "tea"
  private static let minuteMsec: Int32 = 60_000

  /// An idle daemon.
  func daemon() -> [Finding] {
    let server = setting.emptyNightjard.start()
    _ = DaemonCalls(server.socketPath).running
    let cost = minute(of: server, "an idle daemon")
    return [
      Finding(row: .idleMemory, ours: [Double(server.residentBytes)]),
      Finding(row: .idleWakeups, ours: [cost.wakeups]),
    ]
  }

  /// nightjar-tray on a session bus: in a minute in which nobody looks, and in a minute in which
  /// its menu is open, so that it counts the seconds.
  func tray() throws(Unmeasured) -> [Finding] {
    let daemon = startWithTimer(setting.emptyNightjard)
    let bus = SessionBus()
    let busServer = bus.start()
    defer { [daemon, busServer].forEach { $0.end() } }
    let tray = Running(
      ["\(setting.binaries)/nightjar-tray", "--socket", daemon.socketPath],
      environment: ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"])
    let name = try awaited("the tray does not show the timer") { () throws(Unmeasured) in
      try nameOnBus(of: tray, bus)
    }
    let closed = findings(Row.tray, tray, "a tray at which nobody looks")
    _ = try bus.busctl(
      "call", name, "/MenuBar", "com.canonical.dbusmenu", "AboutToShow", "i", "0")
    return closed + findings(Row.openTray, tray, "a tray with its menu open")
  }

  /// The tray's name on the bus; nil: it does not show the timer yet.
  private func nameOnBus(of tray: Running, _ bus: SessionBus) throws(Unmeasured) -> String? {
    guard let name = try bus.name(of: tray) else { return nil }
    let toolTip = try bus.busctl(
      "get-property", name, "/StatusNotifierItem", "org.kde.StatusNotifierItem", "ToolTip")
    return toolTip.contains(Self.name) ? name : nil
  }

  /// nightjar-mqtt with a broker on the same machine.
  func bridge() throws(Unmeasured) -> [Finding] {
    let nightjard = setting.emptyNightjard
    let daemon = startWithTimer(nightjard)
    let broker = Mosquitto()
    let brokerServer = broker.start()
    defer { [daemon, brokerServer].forEach { $0.end() } }
    let config = """
      [mqtt]
      broker = "unix:\(broker.socketPath)"
      person = "alex"
      device = "bench"

      """
    let folder = nightjard.folder
    File.write(config, to: "\(folder.path)/config.toml")
    let bridge = Server(
      [
        "\(setting.binaries)/nightjar-mqtt", "--socket", daemon.socketPath, "--config",
        "\(folder.path)/config.toml",
      ], socketPath: BridgePaths.status(in: folder.path), in: folder, saysReady: true)
    _ = try awaited("the bridge does not know the timer") { () throws(Unmeasured) in
      DaemonCalls(bridge.socketPath).published == 1 ? true : nil
    }
    // The bridge publishes its status two seconds after a timer was started.
    poll(nil, 0, 3_000)
    return findings(Row.bridge, bridge, "a bridge")
  }

  /// Starts a daemon, and in it a timer for ten hours.
  private func startWithTimer(_ nightjard: Nightjard) -> Server {
    let server = nightjard.start()
    DaemonCalls(server.socketPath).start(Self.name, usec: 36_000_000_000)
    return server
  }

  private func findings(_ rows: [Row], _ program: Running, _ title: String) -> [Finding] {
    let cost = minute(of: program, title)
    return zip(rows, [Double(program.privateBytes), cost.wakeups, cost.nsec]).map {
      Finding(row: $0, ours: [$1])
    }
  }

  /// How often a program wakes up in a minute, and how much processor time it uses, in nanoseconds.
  private func minute(of program: Running, _ title: String) -> (wakeups: Double, nsec: Double) {
    Terminal.say("a minute of \(title)")
    // What it has begun ends.
    poll(nil, 0, 1_000)
    let (wakeups, nsec) = (program.wakeups, program.processorNsec)
    poll(nil, 0, Self.minuteMsec)
    guard !program.hasEnded else { fail("\(title) has ended: \(program.output)") }
    return (Double(program.wakeups - wakeups), Double(program.processorNsec - nsec))
  }
}

/// Waits until there is a value, at most 30 s.
private func awaited<Value>(
  _ failure: String, _ value: () throws(Unmeasured) -> Value?
) throws(Unmeasured) -> Value {
  let end = Clock.nsec() + 30_000_000_000
  while Clock.nsec() < end {
    if let value = try value() { return value }
    poll(nil, 0, 10)
  }
  throw Unmeasured(why: failure)
}
