internal import NightjarClient
internal import Varlink

/// Compares one `nightjar start` and one `nightjar remaining`, as a shell runs them, with one
/// `systemd-run` with a timer, on a host with its own systemd. The programs start, do their work
/// over a socket, and end. `true` only starts and ends, so its time is the part that no program
/// causes.
struct Shell {
  let setting: Setting

  /// How many times each command is run in one measurement. The commands alternate.
  private static let turns = 100
  /// How many timers there are at the end: Nightjar's, and systemd's. Only `systemd-run` starts
  /// those of systemd.
  private static let (timers, theirTimers) = (10_000, 1_000)

  private static let ours = ["nightjar", "start", "@", "1h"]
  private static let asking = ["nightjar", "remaining"]
  private static let theirs = ["systemd-run", "--user", "--on-active=1h", "true"]
  private static let least = ["true"]

  /// How long one command takes, in nanoseconds: the median of each round.
  struct Times {
    var ours: [Double] = []
    var asking: [Double] = []
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
        ours: first.ours, peer: ("systemd-run", first.theirs), asked: .atMostTimes(1.1)),
      Finding(
        id: "shell-remaining", work: "one nightjar remaining from a shell", unit: .nanoseconds,
        ours: first.asking, peer: ("systemd-run", first.theirs), asked: .atMostTimes(0.8)),
      Finding(
        id: "shell-start-least", work: "one nightjar start from a shell", unit: .nanoseconds,
        ours: first.ours, peer: ("true", first.least)),
      Finding(
        id: "shell-start-last", work: "the same, the 10,000th", unit: .nanoseconds,
        ours: last.ours, peer: ("the first", first.ours), asked: .atMostTimes(1.1)),
      Finding(
        id: "shell-start-last-systemd", work: "the same, the 10,000th; systemd's 1,000th",
        unit: .nanoseconds, ours: last.ours, peer: ("systemd-run", last.theirs),
        asked: .atMostTimes(1.1)),
    ]
  }

  /// Times all four, in turns.
  private func time(in host: SystemHost, from first: Int, _ times: inout Times) throws(Unmeasured) {
    let took = try Self.turns(
      host, from: first, Self.turns,
      Self.ours + ["--"] + Self.theirs + ["--"] + Self.least + ["--"] + Self.asking)
    times.ours.append(took.map { $0[0] }.median)
    times.theirs.append(took.map { $0[1] }.median)
    times.least.append(took.map { $0[2] }.median)
    times.asking.append(took.map { $0[3] }.median)
  }

  /// Starts all timers except the last 100.
  private func fill(_ host: SystemHost) throws(Unmeasured) {
    _ = Generator(
      StartWorkload(), to: host.socketPath, clients: 16, depth: 64,
      numbers: .each(below: Self.timers - 2 * Self.turns)
    ).runToEnd()
    _ = try Self.turns(host, from: 0, Self.theirTimers - 2 * Self.turns, Self.theirs)
  }

  /// Checks that all timers exist, so that no program was fast because it started too few.
  private func check(_ host: SystemHost) throws(Unmeasured) {
    // The command runs as the user. This program runs as root, and NightjarClient refuses to call a
    // daemon of another user.
    let answer = try host.user(["nightjar", "status", "--json"])
    guard let ours = try? Wire.Status.Reply(JSONValue.parse(answer)).counts.running else {
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
