import ArgumentParser
import Foundation
import NightjarTestSupport

/// `nightjar-torture`: kills, power cuts, damage and failing calls, against a model of what a
/// daemon has acknowledged.
@main struct NightjarTorture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-torture",
    abstract: "Torture a daemon, and compare what it has with what it acknowledged.",
    discussion: """
      What a round does is chosen from its seed; at which instruction a kill hits is not. Ends with 1 if \
      anything was lost, doubled, early or in silence, and keeps the folder of each such round.
      """)

  @Option(help: "The program of the daemon.")
  var daemon: String

  @Option(help: "How long to go on.")
  var seconds = 60

  @Option(help: "The seed of the run; 0: any.")
  var seed: UInt64 = 0

  @Option(help: "Only this: kills, cuts, damage or errors.")
  var only: [Torment] = []

  @Flag(help: "The seed is that of a single round.")
  var round = false

  @Option(help: "How many rounds at a time.")
  var threads = 2

  @Option(help: "Where the folders of violations are kept.")
  var kept: String

  @Option(help: "Where rounds work; a file system in memory is the fastest.")
  var folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()

  @Option(help: "For NIGHTJAR_TEST_DISK_SABOTAGE of the faulty disk.")
  var sabotage: String?

  @Option(help: "With so many violations, no more is done of a class.")
  var enough = 5

  @Flag(help: "Say only what came of it.")
  var quiet = false

  @Flag(help: "The daemon is a saboteur: ends with 0 when it is caught, with 1 if it is not.")
  var saboteur = false

  func validate() throws {
    guard !round || only.count == 1 && seed != 0 else {
      throw ValidationError("--round takes --seed and one class with --only")
    }
  }

  func run() throws {
    let tools = Tools(
      daemon: daemon, library: try Binaries.library("FaultyDisk"), folder: folder, kept: kept,
      sabotage: sabotage)
    let seed = seed == 0 ? UInt64.random(in: 1...999_999) : seed
    let tally = Tally(tools: tools, seconds: seconds, enough: saboteur ? 1 : enough, isQuiet: quiet)
    tally.say("torture: seed \(seed), \(round ? "one round" : "\(seconds) s")")
    let begunUsec = Now.boottimeUsec
    if round {
      try Round(only[0], seed: seed, tools: tools, tally: tally).run()
    } else {
      let rounds = Rounds(
        tools: tools, tally: tally, seed: seed, of: only.isEmpty ? Torment.allCases : only,
        isSaboteur: saboteur)
      rounds.run(threads: threads)
    }
    let tookSec = (Now.boottimeUsec - begunUsec + second / 2) / second
    tally.say(tally.table)
    let found = tally.violationCount
    print("torture: seed \(seed), \(tookSec) s, \(outcome(found))")
    throw ExitCode((found > 0) == saboteur ? 0 : 1)
  }
}

extension NightjarTorture {
  private func outcome(_ found: Int) -> String {
    guard saboteur else { return "\(found) violation\(found == 1 ? "" : "s")" }
    return found > 0 ? "the saboteur was caught" : "THE SABOTEUR WAS NOT CAUGHT"
  }
}

extension Torment: ExpressibleByArgument {}

/// Rounds, one after the other, on several threads.
private final class Rounds: @unchecked Sendable {
  private let tools: Tools
  private let tally: Tally
  private let seed: UInt64
  private let torments: [Torment]
  private let isSaboteur: Bool
  private let lock = NSLock()
  private var number = 0

  init(tools: Tools, tally: Tally, seed: UInt64, of torments: [Torment], isSaboteur: Bool) {
    (self.tools, self.tally, self.seed, self.torments) = (tools, tally, seed, torments)
    self.isSaboteur = isSaboteur
  }

  func run(threads: Int) {
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      Thread.detachNewThread {
        while self.runNext() {}
        ended.signal()
      }
    }
    var running = threads
    while running > 0 {
      if ended.wait(timeout: .now() + 10) == .success {
        running -= 1
      } else {
        tally.say(tally.progress)
      }
    }
  }

  private func runNext() -> Bool {
    let number = lock.withLock {
      self.number += 1
      return self.number
    }
    // One class that catches a saboteur is enough.
    let isCaught = isSaboteur && tally.violationCount > 0
    guard !tally.isOver, !isCaught, torments.contains(where: { !tally.isGivenUp($0) }) else {
      return false
    }
    let torment = torments[number % torments.count]
    guard !tally.isGivenUp(torment) else { return true }
    do {
      try Round(torment, seed: seedOfRound(number, run: seed), tools: tools, tally: tally).run()
    } catch {
      tally.say("torture: \(error)")
      return false
    }
    return true
  }
}
