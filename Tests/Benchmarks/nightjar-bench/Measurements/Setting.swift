/// The settings that all measurements share.
struct Setting {
  /// How many timers, and keys, there are.
  let timers: Int
  /// How many rounds each measurement has. Each round measures Nightjar and its peer.
  let rounds: Int
  /// The folder of Nightjar's programs.
  let binaries: String
  /// The folder of the C programs that Nightjar is compared with.
  let peers: String
  /// The script that boots a host with its own systemd, and the folder with the files of
  /// `make install` for this host.
  let host: String
  let installed: String

  /// A daemon's folder without timers. The daemon is not running.
  var emptyNightjard: Nightjard { Nightjard(binary: "\(binaries)/nightjard") }

  /// A daemon's folder with all timers, which run for ten hours. The daemon is not running.
  func filledNightjard() -> Nightjard {
    let nightjard = emptyNightjard
    Terminal.say("starting \(timers) timers")
    let server = nightjard.start()
    Generator(
      StartWorkload(), to: server.socketPath, clients: 16, depth: 256, numbers: .each(below: timers)
    ).runToEnd()
    server.end()
    return nightjard
  }

  /// Sets all keys.
  func fill(_ redis: Server, expires: Bool = false) {
    Terminal.say("setting \(timers) keys")
    Generator(
      RedisSetWorkload(expires: expires), to: redis.socketPath, clients: 16, depth: 256,
      numbers: .each(below: timers)
    ).runToEnd()
  }
}
