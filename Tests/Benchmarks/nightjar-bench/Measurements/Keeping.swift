/// Measures what the daemon needs to keep many timers: start-up time, and memory.
struct Keeping {
  let setting: Setting

  func run() throws(Unmeasured) -> [Finding] {
    let emptyServer = setting.emptyNightjard.start()
    _ = DaemonCalls(emptyServer.socketPath).running
    let emptyBytes = emptyServer.residentBytes
    emptyServer.end()
    let nightjard = setting.filledNightjard()
    let redis = Redis(isDurable: false, snapshots: true)
    let emptyRedisBytes = fill(redis)

    var (starts, theirStarts): ([Double], [Double]) = ([], [])
    var (memory, theirMemory): ([Double], [Double]) = ([], [])
    for round in 1...setting.rounds {
      Terminal.say("start-up, round \(round)")
      let ours = nightjard.start()
      starts.append(Double(ours.startNsec))
      guard DaemonCalls(ours.socketPath).running == setting.timers else {
        fail("not all timers were there after a start")
      }
      memory.append(Double(ours.residentBytes - emptyBytes) / Double(setting.timers))
      ours.end()
      let theirs = redis.start()
      theirStarts.append(Double(theirs.startNsec))
      let keys = try Running.output(["redis-cli", "-s", theirs.socketPath, "DBSIZE"])
      guard keys == "\(setting.timers)\n" else { fail("redis read back \(keys)") }
      theirMemory.append(Double(theirs.residentBytes - emptyRedisBytes) / Double(setting.timers))
      theirs.end()
    }
    return [
      Finding(row: .startUp, ours: starts, theirs: theirStarts),
      Finding(row: .memory, ours: memory, theirs: theirMemory),
    ]
  }

  /// Sets all keys, and ends redis.
  ///
  /// - Returns: its resident memory before, in bytes.
  private func fill(_ redis: Redis) -> Int64 {
    let server = redis.start()
    let bytes = server.residentBytes
    setting.fill(server, expires: true)
    server.end()
    return bytes
  }
}
