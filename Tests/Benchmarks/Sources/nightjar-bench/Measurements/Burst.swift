internal import Glibc

/// Measures many timers that are due at the same instant.
struct Burst {
  let setting: Setting

  private static let count = 100_000

  func run() -> [Finding] {
    var (delivered, waited): ([Double], [Double]) = ([], [])
    var longestUsec: Int64 = 0
    for round in 1...setting.rounds {
      setting.say("\(Self.count) at once, round \(round)")
      let nightjard = setting.nightjard(filledWith: 0)
      let server = nightjard.start()
      defer { server.end() }
      let dueUsec = start(server)
      let (deliveredNsec, waitedNsec) = ring(server, dueUsec)
      delivered.append(deliveredNsec)
      waited.append(waitedNsec)
      longestUsec = max(longestUsec, Daemon.longestPassUsec(at: server.socketPath) ?? 0)
    }
    return [
      Finding(
        id: "burst-told", work: "100,000 due at once: on disk, and the last told to a watcher",
        unit: .nanoseconds, ours: delivered, asked: .atMost(300e6), longestPassUsec: longestUsec),
      Finding(
        id: "burst-get", work: "100,000 due at once: the longest wait of a Get", unit: .nanoseconds,
        ours: waited, asked: .atMost(10e6), longestPassUsec: longestUsec),
    ]
  }

  /// Starts the timers as alarms.
  ///
  /// - Returns: when they are due, on CLOCK_REALTIME.
  private func start(_ server: Server) -> Int64 {
    let dueUsec = Self.realtimeUsec() + 6_000_000
    let starting = Generator(
      AlarmStartWorkload(dueUsec: Int(dueUsec)), to: server.socketPath, clients: 1, depth: 1024,
      numbers: .each(below: Self.count))
    _ = starting.runToEnd()
    guard Self.realtimeUsec() < dueUsec - 500_000 else { fail("starting them took too long") }
    return dueUsec
  }

  /// - Returns: the time from the deadline until the last event was delivered, and how long the
  ///   slowest `Get` took, in nanoseconds.
  private func ring(_ server: Server, _ dueUsec: Int64) -> (delivered: Double, waited: Double) {
    let watcher: Watcher
    do { watcher = try Watcher(server.socketPath, awaits: Self.count) } catch { fail("\(error)") }
    let asking = Generator(
      AlarmGetWorkload(), to: server.socketPath, clients: 1, depth: 1,
      numbers: .random(below: Self.count))
    asking.begin()
    while !watcher.isDone {
      asking.wait()
      _ = asking.runIteration(asking: true)
      watcher.read()
      if Self.realtimeUsec() > dueUsec + 30_000_000 { fail("only \(watcher.seen) rang in 30 s") }
    }
    let deliveredUsec = Self.realtimeUsec() - dueUsec
    asking.finish()
    return (Double(deliveredUsec) * 1000, Double(asking.latency.longestNsec))
  }

  private static func realtimeUsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }
}
