/// Measures the size of the database after many changes, and the longest iteration of the daemon's
/// loop during these changes.
struct Churn {
  let setting: Setting

  /// How many timers there are. Each change starts a random one of them again.
  private static let timers = 100_000

  /// How long the bare loop runs at most, in milliseconds. It runs as long as the changes took, if
  /// that was shorter.
  private static let watchedMsec = 60_000.0

  func run() -> [Finding] {
    let nightjard = setting.nightjard(filledWith: Self.timers)
    let server = nightjard.start()
    defer { server.end() }
    var (sizes, rest): ([Double], Int) = ([], setting.changes)
    let begin = Clock.nsec()
    while rest > 0 {
      setting.say("\(rest) changes to go")
      let count = min(rest, 1_000_000)
      let generator = Generator(
        StartWorkload(), to: server.socketPath, clients: 50, depth: 16,
        numbers: .random(below: Self.timers), seed: UInt64(rest))
      while generator.replies < count { _ = generator.run(msec: 1_000, goingOn: true) }
      rest -= count
      let path = nightjard.databasePath
      sizes.append(Double(File.size(path) + File.size("\(path)-wal")))
    }
    let took = Double(Clock.nsec() - begin) / 1e6
    let longestUsec = Daemon.longestPassUsec(at: server.socketPath) ?? 0
    return [
      Finding(
        id: "churn-database", work: "database after \(setting.changes) changes", unit: .bytes,
        ours: [sizes.last ?? 0], peer: ("largest on the way", [sizes.max() ?? 0])),
      Finding(
        id: "churn-pass", work: "\(setting.changes) changes: the longest iteration",
        unit: .nanoseconds,
        ours: [Double(longestUsec) * 1000], peer: ("a bare loop's", [stallNsec(msec: took)]),
        asked: .atMost(10e6), longestPassUsec: longestUsec),
    ]
  }

  /// The longest interruption of a loop that only reads the clock, on the servers' core while no
  /// server works there. A loop iteration of the daemon can be this long because of the machine
  /// alone.
  private func stallNsec(msec: Double) -> Double {
    let msec = min(msec, Self.watchedMsec)
    setting.say("a loop that only reads the clock, for \(Int(msec / 1000)) s")
    let printed = required(
      try Command.output(["\(setting.peers)/stalls", "\(Int(msec))"])
    ).split(separator: "\n")
    guard let nsec = printed.first.flatMap({ Double($0) }) else { fail("stalls failed") }
    return nsec
  }
}
