import Glibc
import NightjarClient
import NightjarTestSupport

/// What is done to a daemon.
enum Torment: String, CaseIterable, CustomStringConvertible {
  /// kill -9 under load.
  case kills
  /// Power cuts, from a log of what it wrote.
  case cuts
  /// Flipped bits, truncations and removals of the database and its log.
  case damage
  /// Calls that fail.
  case errors

  var description: String { rawValue }
}

/// One round: a folder, a seed, and what is being done just now.
final class Round {
  let torment: Torment
  let seed: UInt64
  let workshop: Workshop
  let tally: Tally
  var random: SplitMix
  /// For a violation: what was being done.
  var situation = "at the beginning"

  init(_ torment: Torment, seed: UInt64, tools: Tools, tally: Tally) throws {
    (self.torment, self.seed, self.tally) = (torment, seed, tally)
    workshop = try Workshop(tools)
    random = SplitMix(seed: seed)
  }

  /// Runs it. Whatever is thrown is a violation as well: a daemon that hangs or ends.
  func run() {
    do {
      switch torment {
      case .kills: try runKills()
      case .cuts: try runCuts()
      case .damage: try runDamage()
      case .errors: try runErrors()
      }
    } catch {
      tally.report(["\(error)"], in: self)
    }
    add(.rounds)
  }

  func add(_ count: Tally.Count, _ number: Int = 1) { tally.add(count, number, to: torment) }

  /// Most clients have few timers, so that these see many changes; some have several chunks of
  /// them.
  func load(_ prefix: String) -> Load {
    Load(prefix: prefix, names: random.oneIn(5) ? 1500 : 40, seed: random.next())
  }

  /// Starts a daemon that has no reason to refuse.
  func start(_ environment: [String: String] = [:]) throws -> TorturedDaemon {
    switch try TorturedDaemon.start(in: workshop, environment: environment) {
    case .ready(let daemon): return daemon
    case .ended(let end, let said):
      throw Unmet(description: "does not start: \(end): \(said.suffix(600))")
    }
  }

  /// Kills a daemon that must still be there.
  func kill(_ daemon: TorturedDaemon) throws {
    try expectAlive(daemon)
    daemon.process.kill()
    add(.kills)
  }

  /// A daemon ends when it is killed or told to.
  func expectAlive(_ daemon: TorturedDaemon) throws {
    guard let end = daemon.process.changes.all.first(where: \.isEnd) else { return }
    throw Unmet(description: "ended by itself: \(end): \(daemon.process.output.suffix(600))")
  }

  /// SIGTERM, which it must follow.
  func stop(_ daemon: TorturedDaemon, canFail: Bool = false) throws {
    try expectAlive(daemon)
    let end = try daemon.terminate()
    add(.stops)
    guard end == .exited(0) || canFail && end == .exited(1) else {
      throw Unmet(description: "a stop ends with \(end): \(daemon.process.output.suffix(600))")
    }
  }

  /// What a daemon has.
  func read(_ daemon: TorturedDaemon) throws -> Seen {
    try whileAlive(daemon) { try Seen(path: daemon.socketPath) }
  }

  /// Has it answer a question that needs no disk.
  func askStatus(_ daemon: TorturedDaemon) throws {
    try whileAlive(daemon) {
      let deadline = Deadline.after(usec: 20 * second)
      let client = try Connection(path: daemon.socketPath, deadline: deadline)
      _ = try client.call(.status(), deadline: deadline)
    }
  }

  /// If a question fails because the daemon has ended, says so: its end tells more.
  private func whileAlive<Answer>(
    _ daemon: TorturedDaemon, _ ask: () throws -> Answer
  ) throws -> Answer {
    do {
      return try ask()
    } catch {
      _ = try? daemon.process.changes.awaitEnd("its end", within: 1)
      try expectAlive(daemon)
      throw error
    }
  }

  /// All that is wrong with what a daemon has where nothing may be lost.
  func faults(
    of seen: Seen, _ stories: [Story], replies: Int? = nil, isUnreadable: Bool = false
  ) -> [String] {
    var found = stories.flatMap {
      $0.differences(from: seen, replies: replies, isUnreadable: isUnreadable)
    }
    found += seen.ledgerFaults
    if let error = seen.ledgerError { found.append("unreadable: \(error)") }
    if !found.isEmpty, let report = seen.report { found.append("(reported: \(report))") }
    return found
  }
}
