internal import CLinux
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel

/// Measures the daemon's core on its storage, without sockets. The benchmark drives the core as the
/// daemon's loop does. It measures leaving a background span, and what timers of all kinds cost in
/// comparison with plain countdowns.
struct Core {
  let setting: Setting

  /// What one mix of timers costs.
  private struct Costs {
    /// Nanoseconds to start a timer durably, with 1,024 timers in a commit.
    var start: [Double] = []
    /// Nanoseconds of the slowest start among the first 100,000.
    var longestStart: [Double] = []
    /// Bytes of memory for each timer, including the journal's.
    var memory: [Double] = []
    /// Nanoseconds to leave a background span in which no timer was due, in each round.
    var leave: [Double] = []
    /// Nanoseconds to read all timers back.
    var load: [Double] = []
    /// Bytes of the database for each timer.
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
        ours: all.leave, peer: ("with 1000", few.leave), asked: .atMost(100_000)),
      Finding(
        id: "longest-start", work: "the slowest of 100000 starts", unit: .nanoseconds,
        ours: all.longestStart, asked: .atMost(25_000_000)),
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
    // Give the memory that the previous mix has freed back to the kernel. Otherwise this mix would
    // reuse it, and the measured memory would be too low.
    _ = malloc_trim(0)
    let before = Self.residentBytes
    do {
      let rig = try CoreRig(path: folder.path)
      defer { rig.close() }
      let begin = Clock.nsec()
      costs.longestStart = [Double(try rig.start(timers, of: mix))]
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
