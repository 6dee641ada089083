/// What measurements have in common.
struct Setting {
  /// How many timers, and keys, there are.
  let timers: Int
  /// How many changes the database is to survive.
  let changes: Int
  /// How often each is measured, theirs behind ours.
  let rounds: Int
  /// How long a round of requests is, in milliseconds.
  let roundMsec: Int64
  /// The folder of our programs.
  let binaries: String
  /// The folder of the peers that are compiled for this.
  let peers: String
  /// The script that boots a host of systemd's, and what `make install` left for it, in a folder.
  var host: String?
  var installed: String?

  /// Says on standard error what is being done.
  func say(_ sentence: String) { Terminal.say(sentence) }

  /// A daemon's folder with so many timers in it, running for ten hours.
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

  /// Sets so many keys.
  func fill(_ redis: Server, keys: Int, expires: Bool = false) {
    say("setting \(keys) keys")
    _ = Generator(
      RedisSetWorkload(expires: expires), to: redis.socketPath, clients: 16, depth: 256,
      numbers: .each(below: keys)
    ).runToEnd()
  }
}
