internal import Glibc

/// Measures how long a `Get` of an innocent client takes beside hostile clients, and alone. The two
/// alternate.
struct Hostile {
  let setting: Setting

  /// How many timers there are, and about how many events.
  static let timers = 10_000
  static let events = 20_000
  /// The longest duration of a round. Eight kinds of clients must be measured within a minute.
  private static let longestRoundMsec: Int64 = 300
  /// The beginning of a round, which is not measured. Work of the previous round ends in it.
  private static let settleMsec: Int64 = 30

  func run() -> [Finding] {
    HostileKind.allCases.flatMap { measure($0) } + manyWatchers()
  }

  private func measure(_ kind: HostileKind) -> [Finding] {
    let server = server()
    defer { server.end() }
    let msec = min(setting.roundMsec, Self.longestRoundMsec)
    var (beside, alone): ([Histogram], [Histogram]) = ([], [])
    for round in 1...setting.rounds {
      setting.say("Get beside \(kind.title), round \(round)")
      alone.append(innocent(server, round, msec, beside: kind.baseline(path: server.socketPath)))
      let hostile = kind.clients(path: server.socketPath)
      beside.append(innocent(server, round, msec, beside: hostile))
      guard hostile.count > 0 else { fail("\(kind.title) did nothing") }
    }
    let longest = Daemon.longestPassUsec(at: server.socketPath)
    return [0.5, 0.99].map { share in
      Finding(
        id: "hostile-\(kind.rawValue)-p\(Int(share * 100))",
        work: "Get p\(Int(share * 100)) beside \(kind.title)", unit: .nanoseconds,
        ours: beside.map { Double($0.quantile(share)) },
        peer: ("alone", alone.map { Double($0.quantile(share)) }),
        asked: share > 0.5 ? .atMostTimes(2) : nil, longestPassUsec: longest)
    }
  }

  /// A daemon with `timers` timers, each of which was started twice, so that there are twice as
  /// many events.
  private func server() -> Server {
    let server = setting.nightjard(filledWith: Self.timers).start()
    _ = Generator(
      StartWorkload(), to: server.socketPath, clients: 16, depth: 64,
      numbers: .each(below: Self.timers)
    ).runToEnd()
    return server
  }

  /// How long each `Get` took. The client sends the next one as soon as it has the answer.
  private func innocent(
    _ server: Server, _ round: Int, _ msec: Int64, beside hostile: (any HostileClient)?
  ) -> Histogram {
    let asking = Generator(
      GetWorkload(), to: server.socketPath, clients: 1, depth: 1,
      numbers: .random(below: Self.timers), seed: UInt64(round))
    for msec in [Self.settleMsec, msec] {
      let end = Clock.nsec() + msec * 1_000_000
      turns(asking, beside: hostile) { Clock.nsec() < end }
    }
    return asking.latency
  }

  /// Reads the innocent client's answer as soon as it has arrived. The hostile clients take a step
  /// only while no answer is there.
  private func turns(
    _ asking: Generator<GetWorkload>, beside hostile: (any HostileClient)?, while goesOn: () -> Bool
  ) {
    asking.begin()
    while goesOn() {
      if asking.isReady || hostile?.step() != true {
        asking.wait()
        _ = asking.runIteration(asking: true)
      }
    }
    asking.finish()
  }

  // MARK: Thousands

  private static let watchers = 2_000
  private static let updates = 3_000
  /// How long the silent clients are driven at most, in milliseconds.
  private static let longestMsec: Int64 = 20_000

  /// Measures thousands of clients that watch and never read: how much memory they cost the daemon,
  /// and how much time they cost another client.
  private func manyWatchers() -> [Finding] {
    let server = server()
    defer { server.end() }
    setting.say("\(Self.watchers) that watch and never read, \(Self.updates) updates")
    OpenFiles.raise(to: Self.watchers + 100)
    let alone = innocent(
      server, 1, Self.longestRoundMsec,
      beside: SilentWatchers(path: server.socketPath, watchers: 0, updates: Self.updates))
    let before = server.residentBytes
    let hostile = SilentWatchers(
      path: server.socketPath, watchers: Self.watchers, updates: Self.updates)
    let asking = Generator(
      GetWorkload(), to: server.socketPath, clients: 1, depth: 1,
      numbers: .random(below: Self.timers))
    let end = Clock.nsec() + Self.longestMsec * 1_000_000
    var (most, looked) = (before, 0)
    turns(asking, beside: hostile) {
      if hostile.count >= looked + 100 {
        looked = hostile.count
        most = max(most, server.residentBytes)
      }
      return hostile.count < Self.updates && Clock.nsec() < end
    }
    let longest = Daemon.longestPassUsec(at: server.socketPath)
    return [
      Finding(
        id: "hostile-crowd-p99", work: "Get p99 beside 2,000 that watch and never read",
        unit: .nanoseconds, ours: [Double(asking.latency.quantile(0.99))],
        peer: ("alone", [Double(alone.quantile(0.99))]), asked: .atMostTimes(2),
        longestPassUsec: longest),
      Finding(
        id: "hostile-crowd-memory", work: "memory that they add, in \(hostile.count) updates",
        unit: .bytes, ours: [Double(max(most, server.residentBytes) - before)],
        asked: .atMost(64e6), longestPassUsec: longest),
    ]
  }
}

/// The limit on open files.
enum OpenFiles {
  /// Raises the limit to `count`, or to the hard limit if that is lower.
  static func raise(to count: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    guard limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      fail("the limit on open files cannot be raised: \(String(cString: strerror(errno)))")
    }
  }
}
