internal import NightjarClient
internal import Varlink

/// The replies that a real daemon sends to a bridge: its timers, and then changes.
struct RecordedWatch {
  /// The replies of `Watch` up to the one with `synced`, which says that all timers have been sent.
  private(set) var snapshot: [JSONValue] = []
  /// The pause of the first timer, and its resumption.
  private(set) var changes: [JSONValue] = []

  /// Starts this many timers at a daemon, and records the daemon's replies.
  init(timers: Int, setting: Setting) {
    let nightjard = setting.nightjard(filledWith: timers)
    let server = nightjard.start()
    defer { server.end() }
    do {
      let watch = try Connection(path: server.socketPath, deadline: .after(usec: 10_000_000))
      let stream = try watch.stream(
        Call(method: "org.nightjar.Timers.Watch"), deadline: .after(usec: 10_000_000))
      func next() throws -> JSONValue {
        guard let reply = try stream.next(deadline: .after(usec: 10_000_000)) else {
          fail("a daemon shows no timers")
        }
        return reply
      }
      repeat { snapshot.append(try next()) } while snapshot.last?["synced"]?.boolValue != true
      let asker = try Connection(path: server.socketPath, deadline: .after(usec: 10_000_000))
      for method in ["Pause", "Resume"] {
        let parameters: JSONValue = ["name": .string(Name.text(0))]
        _ = try asker.call(
          Call(method: "org.nightjar.Timers.\(method)", parameters: parameters),
          deadline: .after(usec: 10_000_000))
        changes.append(try next())
      }
    } catch { fail("a daemon could not be watched: \(error)") }
    guard snapshot.count == timers + 1 else { fail("a daemon shows other timers than it has") }
  }
}
