/// Compares one `nightjar start` and one `nightjar remaining`, as a shell runs them, with one
/// `systemd-run` with a timer, on a host with its own systemd. The programs start, do their work
/// over a socket, and end.
struct Shell {
  let setting: Setting

  /// How many times each command is run in a round. The commands alternate.
  private static let turns = 100

  private static let commands = [
    ["nightjar", "start", "@", "1h"], ["nightjar", "remaining"],
    ["systemd-run", "--user", "--on-active=1h", "true"],
  ]

  func run() throws(Unmeasured) -> [Finding] {
    // The median of each round, for each command.
    var medians: [[Double]] = [[], [], []]
    for round in 1...setting.rounds {
      Terminal.say("nightjar start and systemd-run, round \(round)")
      let host = try SystemHost(script: setting.host, installed: setting.installed)
      try host.install("\(setting.peers)/turns")
      let took = try turns(host)
      for command in Self.commands.indices {
        medians[command].append(took.map { $0[command] }.median)
      }
    }
    return [
      Finding(row: .shellStart, ours: medians[0], theirs: medians[2]),
      Finding(row: .shellRemaining, ours: medians[1], theirs: medians[2]),
    ]
  }

  /// Nanoseconds of each command in each turn.
  private func turns(_ host: SystemHost) throws(Unmeasured) -> [[Double]] {
    let words = Self.commands.joined(separator: ["--"])
    let lines = try host.user(["turns", "0", "\(Self.turns)"] + words).split(separator: "\n")
    let took = lines.map { $0.split(separator: " ").compactMap { Double($0) } }
    guard took.count == Self.turns, took.allSatisfy({ $0.count == Self.commands.count }) else {
      throw Unmeasured(why: "turns said: \(lines.first ?? "")")
    }
    return took
  }
}
