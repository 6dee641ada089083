internal import Glibc
internal import NightjarClient
internal import Varlink

/// Measures how late timers expire while other clients start more timers, in comparison with a bare
/// timerfd under the same load.
struct Lateness {
  let setting: Setting

  private static let count = 10_000
  private static let gapUsec: Int64 = 1_000

  func run() throws(Unmeasured) -> [Finding] {
    let server = setting.emptyNightjard.start()
    var (ours, theirs): ([Double], [Double]) = ([], [])
    for round in 1...setting.rounds {
      Terminal.say("lateness, round \(round): ours")
      let rang = fire(server, round)
      underLoad(server, round) { !rang.isOver }
      ours.append(p99(rang.lateUsec) * 1000)
      Terminal.say("lateness, round \(round): a timerfd")
      let bare = Running(["\(setting.peers)/timerfd", "\(Self.count)", "\(Self.gapUsec)"])
      underLoad(server, round) { !bare.hasEnded }
      theirs.append(p99(try bare.finish().split(separator: "\n").compactMap { Int64($0) }))
    }
    return [Finding(row: .lateness, ours: ours, theirs: theirs)]
  }

  /// What 99 of 100 do not exceed.
  private func p99(_ late: [Int64]) -> Double {
    guard late.count == Self.count else { fail("\(late.count) of \(Self.count) deadlines") }
    return Double(late.sorted()[Self.count * 99 / 100])
  }

  /// Runs 50 clients that start timers, while `body` is true.
  private func underLoad(_ server: Server, _ round: Int, while body: () -> Bool) {
    let starting = Generator(
      StartWorkload(), to: server.socketPath, clients: 50, depth: 1,
      numbers: .random(below: 100_000), seed: UInt64(round))
    starting.begin()
    while body() {
      starting.wait()
      starting.runIteration(asking: true)
    }
    starting.finish()
  }

  /// Starts the timers.
  private func fire(_ server: Server, _ round: Int) -> Fired {
    do {
      let connection = try Connection(path: server.socketPath, deadline: .after(usec: 10_000_000))
      let calls = (1...Self.count).map { number in
        Call(
          Wire.Start(
            name: "late/\(round)/\(number)",
            .countdown(.microseconds(500_000 + Int64(number) * Self.gapUsec))))
      }
      var events = Wire.Events()
      events.prefix = "late/\(round)"
      let stream = try Connection(path: server.socketPath, deadline: .after(usec: 10_000_000))
        .stream(Call(events))
      for result in try connection.callAll(calls, deadline: .after(usec: 30_000_000)) {
        _ = try result.get()
      }
      return Fired(stream, count: Self.count)
    } catch { fail("the timers could not be started: \(error)") }
  }
}

/// The `rang` events of timers that expire one after another.
private final class Fired {
  private let stream: NightjarClient.ReplyStream
  private let count: Int
  private(set) var lateUsec: [Int64] = []

  init(_ stream: NightjarClient.ReplyStream, count: Int) {
    (self.stream, self.count) = (stream, count)
  }

  /// Whether all timers rang. Reads the events that have arrived.
  var isOver: Bool {
    do {
      while lateUsec.count < count, let reply = try stream.next(deadline: .after(usec: 0)) {
        let event = reply["event"]
        if event?["type"] == "rang" { lateUsec.append(event?["late_usec"]?.integerValue ?? 0) }
      }
    } catch {
      guard error == .timedOut else { fail("the daemon did not send the events: \(error)") }
    }
    return lateUsec.count == count
  }
}
