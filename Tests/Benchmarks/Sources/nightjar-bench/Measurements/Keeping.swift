internal import Glibc
internal import NightjarClient

/// Measures what the daemon needs to keep timers: memory, start-up time, disk, and wake-ups when
/// idle.
struct Keeping {
  let setting: Setting

  /// Start-up, a clean stop, and memory, with all timers.
  func run() -> [Finding] {
    let empty = setting.nightjard(filledWith: 0)
    let emptyServer = empty.start()
    _ = Daemon.status(at: emptyServer.socketPath)
    let emptyBytes = emptyServer.residentBytes
    emptyServer.end()
    let nightjard = setting.nightjard(filledWith: setting.timers)
    let redis = Redis(isDurable: false, snapshots: true)
    var server = redis.start()
    let emptyRedisBytes = server.residentBytes
    setting.fill(server, keys: setting.timers, expires: true)
    server.end()

    var (own, theirs): ([Double], [Double]) = ([], [])
    var stops: [Double] = []
    var (memory, theirMemory): ([Double], [Double]) = ([], [])
    for round in 1...setting.rounds {
      setting.say("start-up, round \(round)")
      let ours = nightjard.start()
      own.append(Double(ours.startNsec))
      guard Daemon.status(at: ours.socketPath).counts.running == Int64(setting.timers) else {
        fail("not all timers were there after a start")
      }
      memory.append(Double(ours.residentBytes - emptyBytes) / Double(setting.timers))
      let begin = Clock.nsec()
      ours.end()
      stops.append(Double(Clock.nsec() - begin))
      server = redis.start()
      theirs.append(Double(server.startNsec))
      let keys = required(try Command.output(["redis-cli", "-s", server.socketPath, "DBSIZE"]))
      guard keys == "\(setting.timers)\n" else { fail("redis read back \(keys)") }
      theirMemory.append(Double(server.residentBytes - emptyRedisBytes) / Double(setting.timers))
      server.end()
    }
    let database = File.size(nightjard.databasePath) + File.size(nightjard.databasePath + "-wal")
    return [
      Finding(
        id: "start-up", work: "start-up with all, until READY", unit: .nanoseconds, ours: own),
      Finding(
        id: "start-up-redis", work: "start-up with all, until READY", unit: .nanoseconds, ours: own,
        peer: ("redis", theirs), asked: .timesAsGood(1)),
      Finding(
        id: "stop", work: "clean stop with all", unit: .nanoseconds, ours: stops,
        asked: .atMost(2e9)),
      Finding(
        id: "memory", work: "memory for each", unit: .bytes, ours: memory,
        peer: ("redis", theirMemory), asked: .atMost(350)),
      Finding(
        id: "database", work: "database for each", unit: .bytes,
        ours: [Double(database) / Double(setting.timers)]),
    ]
  }

  /// Memory and wake-ups of a daemon that is idle for a minute.
  func idle() -> [Finding] {
    let nightjard = setting.nightjard(filledWith: 0)
    let server = nightjard.start()
    defer { server.end() }
    _ = Daemon.status(at: server.socketPath)
    setting.say("an idle minute")
    poll(nil, 0, 1_000)
    let before = server.wakeups
    poll(nil, 0, 60_000)
    return [
      Finding(
        id: "idle-memory", work: "idle: memory", unit: .bytes,
        ours: [Double(server.residentBytes)], asked: .atMost(8e6)),
      Finding(
        id: "idle-wakeups", work: "idle: wake-ups in a minute", unit: .count,
        ours: [Double(server.wakeups - before)], asked: .atMost(0)),
    ]
  }
}
