internal import NightjarClient
internal import Varlink

/// The daemon's own report of its state.
enum Daemon {
  static func status(at socketPath: String) -> Wire.Status.Reply {
    do {
      let connection = try Connection(path: socketPath, deadline: .after(usec: 10_000_000))
      return try connection.call(Wire.Status(), deadline: .after(usec: 10_000_000))
    } catch { fail("Status: \(error)") }
  }

  static func longestPassUsec(at socketPath: String) -> Int64? {
    status(at: socketPath).longestPassUsec
  }
}
