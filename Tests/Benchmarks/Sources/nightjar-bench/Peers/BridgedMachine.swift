internal import Glibc
internal import NightjarClient
internal import NightjarInterface
internal import Varlink

/// A machine of one person: a daemon and a bridge.
struct BridgedMachine {
  let name: String
  let nightjard: Nightjard
  let daemon: Server
  let bridge: Server

  /// Starts both, and waits until the bridge is connected.
  init(_ name: String, broker port: Int, binaries: String) {
    self.name = name
    nightjard = Nightjard(binary: "\(binaries)/nightjard")
    daemon = nightjard.start()
    let folder = nightjard.folder.path
    let config = """
      [mqtt]
      broker = "mqtt://127.0.0.1:\(port)"
      person = "alex"
      device = "\(name)"

      """
    File.write(config, to: "\(folder)/config.toml")
    bridge = Server(
      [
        "\(binaries)/nightjar-mqtt", "--socket", nightjard.socketPath, "--config",
        "\(folder)/config.toml",
      ], socketPath: BridgePaths.status(in: folder), in: nightjard.folder, saysReady: true)
    awaitTrue("\(name) is not connected") { status.connected }
  }

  /// The bridge's own report of its state.
  var status: BridgeWire.Status.Reply {
    do {
      return try BridgeWire.Status.Reply(
        call("\(BridgeInterface.name).Status", at: BridgePaths.status(in: nightjard.folder.path)))
    } catch { fail("Status: \(error)") }
  }

  /// The socket on which the bridge serves the timers of another machine.
  func socketPath(of other: String) -> String {
    BridgePaths.device(other, in: nightjard.folder.path)
  }

  /// Starts timers for ten hours.
  func start(_ names: [String]) {
    do {
      for name in names {
        let timer: JSONValue = ["name": .string(name), "duration_usec": 36_000_000_000]
        _ = try call("\(TimersInterface.name).Start", timer, at: nightjard.socketPath)
      }
    } catch { fail("Start: \(error)") }
  }

  private func call(
    _ method: String, _ parameters: JSONValue = .object([]), at path: String
  ) throws(ClientError) -> JSONValue {
    let connection = try Connection(path: path, deadline: .after(usec: 10_000_000))
    return try connection.call(
      Call(method: method, parameters: parameters), deadline: .after(usec: 10_000_000))
  }
}

/// Waits until `condition` is true. Ends the program if this takes more than 30 s.
func awaitTrue(_ what: @autoclosure () -> String, _ condition: () -> Bool) {
  let end = Clock.nsec() + 30_000_000_000
  while !condition() {
    guard Clock.nsec() < end else { fail(what()) }
    poll(nil, 0, 1)
  }
}
