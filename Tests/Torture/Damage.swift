import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport

extension Round {
  /// Damages the database or its log, at rest or under a daemon that runs. Nothing may be lost in
  /// silence, and a timer that was ended may not run again because of it.
  func runDamage() throws {
    if random.oneIn(3) { try damageWhileRunning() } else { try damageAtRest() }
  }

  // MARK: At rest

  private func damageAtRest() throws {
    let load = load("a")
    let isClean = random.oneIn(2)
    for _ in 0...random.below(2) {
      let daemon = try start()
      _ = try load.run(on: CallSocket(path: daemon.socketPath), changes: 100 + random.below(900))
      if isClean { try stop(daemon) } else { try kill(daemon) }
    }
    add(.acknowledged, load.story.acknowledged)
    let files = try workshop.files()
    let ledger = try ledgerAtRest(load.story)
    for _ in 1...15 where !tally.isOver {
      let damage = Damage.random(in: files, &random)
      situation = "after a \(isClean ? "clean stop" : "kill"): \(damage)"
      let damaged = damage.applied(to: files)
      try workshop.replaceFiles(with: damaged)
      add(.atRest)
      let found = try whatIsLeft(load.story, ledger, isClean: isClean)
      guard found.isEmpty else {
        try workshop.replaceFiles(with: damaged)
        return tally.report(found, in: self)
      }
    }
  }

  /// The events that clients have made, as a daemon reads them from files that are whole.
  private func ledgerAtRest(_ story: Story) throws -> [Wire.Event] {
    situation = "before any damage"
    let daemon = try start()
    let seen = try read(daemon)
    try kill(daemon)
    let found = faults(of: seen, [story])
    guard found.isEmpty else { throw Unmet(description: found.joined(separator: "\n  ")) }
    // What comes behind the last is of this start.
    let last = seen.events.lastIndex(where: story.isAskedFor) ?? -1
    return Array(seen.events[...last])
  }

  /// Starts a daemon on what was damaged.
  private func whatIsLeft(
    _ story: Story, _ ledger: [Wire.Event] = [], isClean: Bool, reported before: String? = nil
  ) throws -> [String] {
    switch try TorturedDaemon.start(in: workshop) {
    case .ended(.exited(1), let said) where said.contains("schema version"):
      // The one bit that says so.
      add(.refusedStarts)
      return []
    case .ended(let end, let said): return ["does not start: \(end): \(said.suffix(600))"]
    case .ready(let daemon):
      let seen = try read(daemon)
      let report = seen.report ?? before
      var found = silent(story.timerDifferences(from: seen), report, isClean: isClean)
      // One that cannot be read says so to the client that asks for it.
      if seen.ledgerError == nil {
        found += silent(seen.ledgerFaults + seen.alterations(of: ledger), report, isClean: isClean)
      }
      if seen.ledgerError != nil || report != nil { add(.reported) }
      try kill(daemon)
      return found
    }
  }

  /// The losses that were not reported. After a clean stop, what is left of a damaged database is
  /// the last state or nothing: no timer that was ended comes back, even with a report.
  private func silent(_ losses: [String], _ report: String?, isClean: Bool) -> [String] {
    guard report != nil else { return losses }
    return isClean ? losses.filter { $0.hasPrefix("came back") } : []
  }

  // MARK: While it runs

  private func damageWhileRunning() throws {
    for _ in 1...4 where !tally.isOver {
      try workshop.replaceFiles(with: [:])
      let load = load("a")
      let daemon = try start()
      let wire = try CallSocket(path: daemon.socketPath)
      _ = try load.run(on: wire, changes: 50 + random.below(300))
      let damage = Damage.random(in: try workshop.files(), &random)
      situation = "while it runs: \(damage)"
      try damage.apply(in: workshop.stateFolder)
      add(.whileRunning)
      // A disk that refuses is tried once a second: some refusals say as much as many.
      let first = load.story.changes.count
      let last = first + 50 + random.below(300)
      _ = try load.run(on: wire) {
        $0.changes.count >= last || $0.failures(since: first) >= 30
      }
      add(.acknowledged, load.story.acknowledged)
      let seen = try read(daemon)
      // Its memory is whole.
      var found = load.story.timerDifferences(from: seen).map { "in memory: \($0)" }
      let isClean = random.oneIn(2)
      if isClean { try stop(daemon, canFail: true) } else { try kill(daemon) }
      if found.isEmpty {
        // A retry or a change may have cured what the damage would have done.
        found = try whatIsLeft(load.story, isClean: false, reported: seen.report)
      }
      guard found.isEmpty else { return tally.report(found, in: self) }
    }
  }
}

/// Something that happens to one file.
struct Damage: CustomStringConvertible {
  private enum Kind {
    /// Bits, by their numbers in the file.
    case flipped([Int])
    /// A stretch of zeros.
    case zeroed(Range<Int>)
    case truncated(Int)
    case removed
  }

  private let file: String
  private let kind: Kind

  static func random(in files: [String: [UInt8]], _ random: inout SplitMix) -> Damage {
    // The database or its log, whatever else is in the folder more seldom.
    let main = ["nightjar.db", "nightjar.db-wal"].filter { files[$0]?.isEmpty == false }
    let others = files.keys.filter { $0 != "lock" && files[$0]?.isEmpty == false }.sorted()
    let file = random.pick(random.oneIn(6) || main.isEmpty ? others : main)
    let count = files[file]?.count ?? 0
    // Headers and the first page are small, and all depends on them.
    let reach = random.oneIn(4) ? min(count, random.pick([32, 100, 4096])) : count
    let kind: Kind =
      switch random.below(10) {
      case 0: .truncated(random.oneIn(3) ? 0 : random.below(count))
      case 1: .truncated(random.below(count / 4096 + 1) * 4096)
      case 2: .removed
      case 3:
        {
          let start = random.below(reach / 512 + 1) * 512
          return .zeroed(min(start, count)..<min(start + random.pick([512, 4096]), count))
        }()
      default: .flipped((0..<random.pick([1, 1, 1, 2, 8])).map { _ in random.below(reach * 8) })
      }
    return Damage(file: file, kind: kind)
  }

  var description: String {
    switch kind {
    case .flipped(let bits):
      "\(file): flipped " + bits.map { "bit \($0 % 8) of byte \($0 / 8)" }.joined(separator: ", ")
    case .zeroed(let range): "\(file): zeroed bytes \(range)"
    case .truncated(let count): "\(file): cut to \(count) bytes"
    case .removed: "\(file): removed"
    }
  }

  /// The files with the damage.
  func applied(to files: [String: [UInt8]]) -> [String: [UInt8]] {
    var files = files
    switch kind {
    case .flipped(let bits): for bit in bits { files[file]?[bit / 8] ^= 1 << UInt8(bit % 8) }
    case .zeroed(let range):
      files[file]?.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
    case .truncated(let count): files[file] = files[file].map { Array($0.prefix(count)) }
    case .removed: files[file] = nil
    }
    return files
  }

  /// Damages the file as it lies there, under a daemon that has it open.
  func apply(in folder: String) throws {
    let path = "\(folder)/\(file)"
    if case .removed = kind {
      unlink(path)
      return
    }
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unmet(description: "cannot open \(path)") }
    defer { close(descriptor) }
    switch kind {
    case .flipped(let bits):
      for bit in bits {
        var byte: UInt8 = 0
        // Behind the end by now there is nothing to flip.
        guard pread(descriptor, &byte, 1, off_t(bit / 8)) == 1 else { continue }
        byte ^= 1 << UInt8(bit % 8)
        pwrite(descriptor, &byte, 1, off_t(bit / 8))
      }
    case .zeroed(let range):
      let zeros = [UInt8](repeating: 0, count: range.count)
      pwrite(descriptor, zeros, zeros.count, off_t(range.lowerBound))
    case .truncated(let count): ftruncate(descriptor, off_t(count))
    case .removed: break
    }
  }
}
