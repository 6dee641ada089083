internal import CLinux
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel

/// The daemon's core on its storage, driven as its loop drives it, without the sockets: leaving a
/// span, and what timers of all kinds cost beside plain countdowns.
struct Core {
  let setting: Setting

  /// What one mix of timers costs.
  private struct Costs {
    /// Nanoseconds to start each, durably, 1,024 to a commit.
    var start: [Double] = []
    /// Bytes of memory for each, the journal's included.
    var memory: [Double] = []
    /// Nanoseconds of each leaving of a span in which nothing was due.
    var leave: [Double] = []
    /// Nanoseconds to read all back.
    var load: [Double] = []
    /// Bytes of the database for each.
    var database: [Double] = []
  }

  func run() -> [Finding] {
    do throws(StoreError) {
      let few = try measure(1_000, .plain)
      let plain = try measure(setting.timers, .plain)
      let mixed = try measure(setting.timers, .mixed)
      return spans(few, plain) + kinds(mixed, plain)
    } catch { fail("\(error)") }
  }

  private func spans(_ few: Costs, _ all: Costs) -> [Finding] {
    [
      Finding(
        id: "leave-span", work: "leave a span with \(setting.timers), none due", unit: .nanoseconds,
        ours: all.leave, peer: ("with 1000", few.leave), asked: .atMost(100_000))
    ]
  }

  private func kinds(_ mixed: Costs, _ plain: Costs) -> [Finding] {
    let figures: [(String, String, Finding.Unit, KeyPath<Costs, [Double]>)] = [
      ("start", "start", .nanoseconds, \.start), ("memory", "memory", .bytes, \.memory),
      ("load", "read back", .nanoseconds, \.load), ("database", "database", .bytes, \.database),
    ]
    return figures.map { id, word, unit, path in
      Finding(
        id: "kinds-\(id)", work: "timers of all kinds: \(word)", unit: unit,
        ours: mixed[keyPath: path], peer: ("countdowns", plain[keyPath: path]),
        asked: .atMostTimes(1.5))
    }
  }

  private func measure(_ timers: Int, _ mix: TimerMix) throws(StoreError) -> Costs {
    setting.say("\(timers) \(mix.title) in the core")
    let folder = Folder()
    var costs = Costs()
    // What another mix left free is not to be taken for room that this one does not need.
    _ = malloc_trim(0)
    let before = Self.residentBytes
    do {
      let rig = try CoreRig(path: folder.path)
      defer { rig.close() }
      let begin = Clock.nsec()
      try rig.start(timers, of: mix)
      costs.start = [Double(Clock.nsec() - begin) / Double(timers)]
      costs.memory = [Double(Self.residentBytes - before) / Double(timers)]
      costs.leave = rig.leaveSpan(rounds: 101).map(Double.init)
      try rig.settle()
    }
    let begin = Clock.nsec()
    let rig = try CoreRig(path: folder.path)
    defer { rig.close() }
    guard rig.core.engine.counts[0] == timers else {
      throw .damaged("\(rig.core.engine.counts[0]) of \(timers) were read back")
    }
    costs.load = [Double(Clock.nsec() - begin)]
    let path = "\(folder.path)/nightjar.db"
    costs.database = [Double(File.size(path) + File.size("\(path)-wal")) / Double(timers)]
    return costs
  }

  private static var residentBytes: Int64 {
    let fields = File.text("/proc/self/statm").split(separator: " ")
    return (fields.dropFirst().first.flatMap { Int64($0) } ?? 0) * 4096
  }
}
