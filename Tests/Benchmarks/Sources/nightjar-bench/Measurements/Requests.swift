/// Measures requests per second: of Nightjar, of redis, and of a server that answers with a
/// constant.
struct Requests {
  let setting: Setting

  private struct Load {
    let clients: Int
    let depth: Int
    var title: String { "\(clients) × \(depth)" }
    var id: String { "\(clients)x\(depth)" }
    /// The other load, 50 clients with 16 calls each, is measured and has no floor.
    var isFloor: Bool { clients == 1 || depth == 1 }
  }

  /// `Get` of a random timer.
  func get() -> [Finding] {
    let nightjard = setting.nightjard(filledWith: setting.timers)
    let redis = Redis(isDurable: false).start()
    setting.fill(redis, keys: setting.timers)
    let constant = Constant(binary: "\(setting.peers)/constant").start()
    var findings: [Finding] = []
    for load in [
      Load(clients: 50, depth: 1), Load(clients: 50, depth: 16), Load(clients: 1, depth: 16),
    ] {
      let ours = nightjard.start()
      var (own, theirs, least): (Series, Series, Series) = ([], [], [])
      for round in 1...setting.rounds {
        setting.say("Get \(load.title), round \(round)")
        own.append(rate(GetWorkload(), ours, load, round))
        theirs.append(rate(RedisGetWorkload(), redis, load, round))
        least.append(rate(ConstantWorkload(), constant, load, round))
      }
      let longest = Daemon.longestPassUsec(at: ours.socketPath)
      let work = "Get, \(load.title)"
      findings.append(
        Finding(
          id: "get-\(load.id)", work: work, unit: .perSecond, ours: own.rates,
          peer: ("redis", theirs.rates), processorNsec: (own.costs, theirs.costs),
          asked: load.isFloor ? .timesAsGood(0.8) : nil, longestPassUsec: longest))
      findings.append(
        Finding(
          id: "get-\(load.id)-constant", work: work, unit: .perSecond, ours: own.rates,
          peer: ("constant", least.rates), processorNsec: (own.costs, least.costs),
          longestPassUsec: longest))
      ours.end()
    }
    return findings
  }

  /// `Start` that replaces a random timer. The daemon acknowledges it when it is on disk.
  func start() -> [Finding] {
    let nightjard = setting.nightjard(filledWith: setting.timers)
    let redis = Redis(isDurable: true).start()
    setting.fill(redis, keys: setting.timers)
    return [Load(clients: 50, depth: 1), Load(clients: 50, depth: 16)].map { load in
      let ours = nightjard.start()
      defer { ours.end() }
      var (own, theirs): (Series, Series) = ([], [])
      for round in 1...setting.rounds {
        setting.say("Start \(load.title), round \(round)")
        own.append(rate(StartWorkload(), ours, load, round))
        theirs.append(rate(RedisSetWorkload(), redis, load, round))
      }
      return Finding(
        id: "start-\(load.id)", work: "Start, durable, \(load.title)", unit: .perSecond,
        ours: own.rates,
        peer: ("redis", theirs.rates), processorNsec: (own.costs, theirs.costs),
        asked: load.isFloor ? .timesAsGood(1) : nil,
        longestPassUsec: Daemon.longestPassUsec(at: ours.socketPath))
    }
  }

  /// A round: requests a second, and processor time of the server for each, in nanoseconds.
  private func rate(
    _ work: some Workload, _ server: Server, _ load: Load, _ round: Int
  ) -> (rate: Double, cost: Double) {
    let generator = Generator(
      work, to: server.socketPath, clients: load.clients, depth: load.depth,
      numbers: .random(below: setting.timers), seed: UInt64(round))
    let before = server.processorNsec
    let rate = generator.run(msec: setting.roundMsec)
    return (rate, Double(server.processorNsec - before) / Double(max(1, generator.replies)))
  }
}

private typealias Series = [(rate: Double, cost: Double)]

extension Series {
  fileprivate var rates: [Double] { map(\.rate) }
  fileprivate var costs: [Double] { map(\.cost) }
}
