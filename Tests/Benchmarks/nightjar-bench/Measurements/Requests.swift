/// Measures requests per second: of Nightjar, and of redis.
struct Requests {
  let setting: Setting

  private static let roundMsec: Int64 = 2_000

  /// `Get` of a random timer.
  func get() -> [Finding] {
    let nightjard = setting.filledNightjard()
    let redis = Redis(isDurable: false).start()
    setting.fill(redis)
    return [(Row.get50, 50, 1), (Row.get1, 1, 16)].map { row, clients, depth in
      compare(row, nightjard, GetWorkload(), redis, RedisGetWorkload(), clients, depth)
    }
  }

  /// `Start` that replaces a random timer. The daemon acknowledges it when it is on disk.
  func start() -> [Finding] {
    let nightjard = setting.filledNightjard()
    let redis = Redis(isDurable: true).start()
    setting.fill(redis)
    return [compare(.start, nightjard, StartWorkload(), redis, RedisSetWorkload(), 50, 1)]
  }

  private func compare(
    _ row: Row, _ nightjard: Nightjard, _ work: some Workload, _ redis: Server,
    _ redisWork: some Workload, _ clients: Int, _ depth: Int
  ) -> Finding {
    let server = nightjard.start()
    var (ours, theirs): ([Double], [Double]) = ([], [])
    for round in 1...setting.rounds {
      Terminal.say("\(row.work), round \(round)")
      ours.append(rate(work, server, clients, depth, round))
      theirs.append(rate(redisWork, redis, clients, depth, round))
    }
    return Finding(row: row, ours: ours, theirs: theirs)
  }

  /// Requests a second in a round.
  private func rate(
    _ work: some Workload, _ server: Server, _ clients: Int, _ depth: Int, _ round: Int
  ) -> Double {
    Generator(
      work, to: server.socketPath, clients: clients, depth: depth,
      numbers: .random(below: setting.timers), seed: UInt64(round)
    ).run(msec: Self.roundMsec)
  }
}
