internal import NightjarClient
internal import NightjarInterface
internal import Varlink

/// Calls to a daemon or a bridge that is measured. A failure ends the program.
struct DaemonCalls {
  private let connection: Connection

  init(_ path: String) {
    do { connection = try Connection(path: path, deadline: .after(usec: 10_000_000)) } catch {
      fail("\(path): \(error)")
    }
  }

  /// How many timers of a daemon are running.
  var running: Int {
    do {
      let status = try connection.call(Wire.Status(), deadline: .after(usec: 10_000_000))
      return Int(status.counts.running)
    } catch { fail("Status: \(error)") }
  }

  /// How many timers a bridge has published; nil: it is not connected.
  var published: Int? {
    do {
      let call = Call(method: "\(BridgeInterface.name).Status")
      let status = try BridgeWire.Status.Reply(
        connection.call(call, deadline: .after(usec: 10_000_000)))
      return status.connected ? Int(status.timers) : nil
    } catch { fail("Status: \(error)") }
  }

  /// Starts a countdown.
  func start(_ name: String, usec: Int64) {
    do {
      let start = Wire.Start(name: name, .countdown(.microseconds(usec)))
      _ = try connection.call(start, deadline: .after(usec: 10_000_000))
    } catch { fail("Start: \(error)") }
  }
}
