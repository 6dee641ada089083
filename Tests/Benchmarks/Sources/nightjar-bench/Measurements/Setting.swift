/// The settings that all measurements share.
struct Setting {
  /// How many timers, and keys, there are.
  let timers: Int
  /// How many changes `Churn` makes.
  let changes: Int
  /// How many rounds each measurement has. Each round measures Nightjar and its peer.
  let rounds: Int
  /// How long a round of requests is, in milliseconds.
  let roundMsec: Int64
  /// The folder of Nightjar's programs.
  let binaries: String
  /// The folder of the C programs that Nightjar is compared with.
  let peers: String
  /// The script that boots a host with its own systemd, and the folder with the files of
  /// `make install` for this host.
  var host: String?
  var installed: String?

  /// Says on standard error what is being done.
  func say(_ sentence: String) { Terminal.say(sentence) }

  /// A daemon's folder with this many timers, which run for ten hours. The daemon is not running.
  func nightjard(filledWith timers: Int) -> Nightjard {
    let nightjard = Nightjard(binary: "\(binaries)/nightjard")
    guard timers > 0 else { return nightjard }
    say("starting \(timers) timers")
    let server = nightjard.start()
    _ = Generator(
      StartWorkload(), to: server.socketPath, clients: 16, depth: 256, numbers: .each(below: timers)
    ).runToEnd()
    server.end()
    return nightjard
  }

  /// Sets this many keys.
  func fill(_ redis: Server, keys: Int, expires: Bool = false) {
    say("setting \(keys) keys")
    _ = Generator(
      RedisSetWorkload(expires: expires), to: redis.socketPath, clients: 16, depth: 256,
      numbers: .each(below: keys)
    ).runToEnd()
  }
}
