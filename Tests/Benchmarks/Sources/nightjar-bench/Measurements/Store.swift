internal import Glibc
internal import NightjarLedger
internal import NightjarSystem

/// Measures a durable commit, and a write and sync of the same bytes to a bare file. The difference
/// is what the database adds to the time of the disk.
struct Store {
  let setting: Setting

  /// How many events a commit has: of one client alone, of the daemon's loop under load, and of a
  /// burst.
  private static let sizes = [1, 100, 5_000]

  /// Nanoseconds for each commit: the mean of each round. The means include the database's
  /// checkpoints.
  private struct Costs {
    var ours: [Double] = []
    var bare: [Double] = []
  }

  func run() -> [Finding] {
    var costs = Self.sizes.map { _ in Costs() }
    do throws(StoreError) {
      let folder = Folder()
      let rig = try StoreRig(path: folder.path)
      defer { rig.close() }
      let bare = BareLog(path: "\(folder.path)/bare")
      for round in 1...setting.rounds {
        for (index, events) in Self.sizes.enumerated() {
          setting.say("commits of \(events), round \(round)")
          try measure(rig, bare, events, &costs[index])
        }
      }
    } catch { fail("\(error)") }
    return zip(Self.sizes, costs).flatMap(Self.findings)
  }

  private static func findings(_ events: Int, _ costs: Costs) -> [Finding] {
    let noun = events == 1 ? "event" : "events"
    let whole = Finding(
      id: "store-commit-\(events)", work: "store: commit of \(events) \(noun)", unit: .nanoseconds,
      ours: costs.ours, peer: ("write, fdatasync", costs.bare))
    guard events > 1 else { return [whole] }
    let each = Finding(
      id: "store-event-\(events)", work: "store: each of \(events) events", unit: .nanoseconds,
      ours: costs.ours.map { $0 / Double(events) })
    return [whole, each]
  }

  /// Measures one round, in which commits and writes to the bare file alternate.
  private func measure(
    _ rig: StoreRig, _ bare: BareLog, _ events: Int, _ costs: inout Costs
  ) throws(StoreError) {
    var (commits, ours, theirs): (Int64, Int64, Int64) = (0, 0, 0)
    let end = Clock.nsec() + setting.roundMsec * 1_000_000
    while Clock.nsec() < end {
      let bytes = try rig.prepare(events: events)
      ours += try rig.write()
      theirs += bare.append(bytes)
      commits += 1
    }
    costs.ours.append(Double(ours) / Double(commits))
    costs.bare.append(Double(theirs) / Double(commits))
  }
}

/// A file that is written like a database's log. Writes stay within its length, and start again
/// from its beginning when it is full, so a sync writes only the bytes and no new length.
private final class BareLog {
  /// The length in bytes: 1,000 pages, at which the store makes a checkpoint of its log.
  private static let length = 4_096_000

  private let file: Descriptor
  private var place = 0

  init(path: String) {
    let raw = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard raw >= 0 else { fail("\(path) cannot be written") }
    file = Descriptor(owning: raw)
    _ = append([UInt8](repeating: 1, count: Self.length))
  }

  /// Makes bytes durable.
  ///
  /// - Returns: how long that took, in nanoseconds.
  func append(_ bytes: [UInt8]) -> Int64 {
    if place + bytes.count > Self.length { place = 0 }
    let begin = Clock.nsec()
    guard pwrite(file.raw, bytes, bytes.count, off_t(place)) == bytes.count,
      fdatasync(file.raw) == 0
    else { fail("the bare file cannot be written") }
    place += bytes.count
    return Clock.nsec() - begin
  }
}
