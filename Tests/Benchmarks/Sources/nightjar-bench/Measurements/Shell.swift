internal import NightjarClient
internal import NightjarVarlink

/// One `nightjar start` as a shell runs it, beside one `systemd-run` with a timer, in a systemd of
/// its own: programs that are started, do their work over a socket, and end. `true`, which is
/// started and ends, tells how much of it is not theirs.
struct Shell {
  let setting: Setting

  /// So many of each are timed at a time, in turns.
  private static let turns = 100
  /// So many timers there are in the end: ours, and systemd's, which has them from `systemd-run`
  /// alone.
  private static let (timers, theirTimers) = (10_000, 1_000)

  private static let ours = ["nightjar", "start", "@", "1h"]
  private static let theirs = ["systemd-run", "--user", "--on-active=1h", "true"]
  private static let least = ["true"]

  /// What one takes, in nanoseconds: each round's medians.
  struct Times {
    var ours: [Double] = []
    var theirs: [Double] = []
    var least: [Double] = []
  }

  func run() -> [Finding] {
    var (first, last) = (Times(), Times())
    do throws(Unmeasured) {
      guard let script = setting.host, let installed = setting.installed else {
        throw Unmeasured(why: "takes --host and --installed")
      }
      for round in 1...setting.rounds {
        setting.say("nightjar start and systemd-run, round \(round)")
        let host = try SystemHost(script: script, installed: installed)
        try host.install("\(setting.peers)/turns")
        try time(in: host, from: 0, &first)
        try fill(host)
        try time(in: host, from: Self.turns, &last)
        try check(host)
      }
      return Self.findings(first, last)
    } catch {
      return Self.findings(first, last).map { Finding.unmeasured($0, why: error.why) }
    }
  }

  private static func findings(_ first: Times, _ last: Times) -> [Finding] {
    [
      Finding(
        id: "shell-start", work: "one nightjar start from a shell", unit: .nanoseconds,
        ours: first.ours, peer: ("systemd-run", first.theirs), asked: .timesAsGood(1.6)),
      Finding(
        id: "shell-start-least", work: "one nightjar start from a shell", unit: .nanoseconds,
        ours: first.ours, peer: ("true", first.least)),
      Finding(
        id: "shell-start-last", work: "the same, the 10,000th", unit: .nanoseconds,
        ours: last.ours, peer: ("the first", first.ours), asked: .atMostTimes(1.1)),
      Finding(
        id: "shell-start-last-systemd", work: "the same, the 10,000th; systemd's 1,000th",
        unit: .nanoseconds, ours: last.ours, peer: ("systemd-run", last.theirs),
        asked: .timesAsGood(1.6)),
    ]
  }

  /// Times all three, in turns.
  private func time(
    in host: SystemHost, from first: Int, _ times: inout Times
  ) throws(Unmeasured) {
    let took = try Self.turns(
      host, from: first, Self.turns, Self.ours + ["--"] + Self.theirs + ["--"] + Self.least)
    times.ours.append(took.map { $0[0] }.median)
    times.theirs.append(took.map { $0[1] }.median)
    times.least.append(took.map { $0[2] }.median)
  }

  /// Has all be there but the last hundred.
  private func fill(_ host: SystemHost) throws(Unmeasured) {
    _ = Generator(
      StartWorkload(), to: host.socketPath, clients: 16, depth: 64,
      numbers: .each(below: Self.timers - 2 * Self.turns)
    ).runToEnd()
    _ = try Self.turns(host, from: 0, Self.theirTimers - 2 * Self.turns, Self.theirs)
  }

  /// Nobody was fast by leaving something out.
  private func check(_ host: SystemHost) throws(Unmeasured) {
    // Asked as the user: NightjarClient asks no daemon of another user, and this is root.
    let answer = try host.user(["nightjar", "status", "--json"])
    guard let ours = try? DaemonStatus(JSONValue.parse(answer)).counts.running else {
      throw Unmeasured(why: "nightjar status said: \(answer)")
    }
    let theirs = try host.user([
      "systemctl", "--user", "list-units", "--plain", "--no-legend", "--type=timer", "run-*",
    ]).split(separator: "\n").count
    guard ours == Int64(Self.timers), theirs == Self.theirTimers else {
      throw Unmeasured(why: "there are \(ours) and \(theirs) timers")
    }
  }

  /// Nanoseconds of each command in each turn.
  private static func turns(
    _ host: SystemHost, from first: Int, _ count: Int, _ commands: [String]
  ) throws(Unmeasured) -> [[Double]] {
    let lines = try host.user(["turns", "\(first)", "\(count)"] + commands).split(separator: "\n")
    let took = lines.map { $0.split(separator: " ").compactMap { Double($0) } }
    let columns = commands.split(separator: "--").count
    guard took.count == count, took.allSatisfy({ $0.count == columns }) else {
      throw Unmeasured(why: "turns said: \(lines.first ?? "")")
    }
    return took
  }
}
