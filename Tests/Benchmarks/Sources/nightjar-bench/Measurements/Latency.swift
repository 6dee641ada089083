/// Measures how long a `Get` takes while other clients wait for the disk.
struct Latency {
  let setting: Setting

  func run() -> [Finding] {
    let nightjard = setting.nightjard(filledWith: setting.timers)
    let server = nightjard.start()
    defer { server.end() }
    return [1, 50].map { clients in
      var (beside, alone): ([Double], [Double]) = ([], [])
      for round in 1...setting.rounds {
        setting.say("Get, \(clients) × 1, with and without starts, round \(round)")
        let asking = generator(GetWorkload(), server, clients: clients, round)
        _ = asking.run(msec: setting.roundMsec)
        alone.append(Double(asking.latency.quantile(0.99)))
        beside.append(whileStarting(server, clients: clients, round))
      }
      return Finding(
        id: "get-p99-\(clients)", work: "Get p99, \(clients) × 1, beside 50 that start",
        unit: .nanoseconds, ours: beside, peer: ("alone", alone), asked: .atMostTimes(2),
        longestPassUsec: Daemon.longestPassUsec(at: server.socketPath))
    }
  }

  private func whileStarting(_ server: Server, clients: Int, _ round: Int) -> Double {
    let starting = generator(StartWorkload(), server, clients: 50, round)
    let asking = generator(GetWorkload(), server, clients: clients, round)
    starting.begin()
    asking.begin()
    let end = Clock.nsec() + setting.roundMsec * 1_000_000
    while Clock.nsec() < end {
      // A `Get` is always on its way, so it is enough to wait for its answer. Replies to `Start`
      // are handled after each wait.
      asking.wait()
      _ = asking.runIteration(asking: true)
      _ = starting.runIteration(asking: true)
    }
    asking.finish()
    starting.finish()
    guard starting.replies > 0 else { fail("nothing was started meanwhile") }
    return Double(asking.latency.quantile(0.99))
  }

  private func generator<Work: Workload>(
    _ work: Work, _ server: Server, clients: Int, _ round: Int
  ) -> Generator<Work> {
    Generator(
      work, to: server.socketPath, clients: clients, depth: 1,
      numbers: .random(below: setting.timers), seed: UInt64(round))
  }
}
