internal import CLinux
internal import Glibc
internal import NightjarCore
internal import NightjarLedger

/// The core with its storage, driven as the daemon's loop drives it, without the sockets.
enum Bench {
  /// Runs all measurements with `timers` countdowns and with as many of all kinds; returns the exit
  /// code: 1 if a bound is missed.
  static func run(timers: Int) -> Int32 {
    do throws(StoreError) {
      let plain = try measure(timers, .plain)
      let mixed = try measure(timers, .mixed)
      print("of all kinds, for each of plain countdowns")
      let isCheap = compare(mixed, with: plain)
      return plain.isGood && mixed.isGood && isCheap ? 0 : 1
    } catch {
      print("nightjar-bench: \(error)")
      return 1
    }
  }

  /// What one crowd costs.
  private struct Figures {
    var startNsec: Int64 = 0
    var memoryBytes: Int64 = 0
    var leaveNsec: Int64 = 0
    var loadUsec: Int64 = 0
    var databaseBytes: Int64 = 0
    var isGood = true
  }

  private static func measure(_ timers: Int, _ crowd: Crowd) throws(StoreError) -> Figures {
    var template = Array("/tmp/nightjar-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .damaged("/tmp cannot be written") }
    let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let path = String(decoding: bytes, as: UTF8.self)
    defer { removeFolder(path) }
    print("\(timers) active \(crowd.title), 16-byte names; SQLite in /tmp, synchronous=FULL")
    var figures = try fill(timers, crowd, folder: path)
    let loadUsec = try elapsedUsec { () throws(StoreError) in
      let rig = try Rig(path: path)
      defer { rig.close() }
      guard rig.service.engine.counts[0] == timers else {
        throw .damaged("\(rig.service.engine.counts[0]) of \(timers) were read back")
      }
    }
    figures.loadUsec = loadUsec
    let isGood = bound("start-up, until the timers are armed", loadUsec, under: 2_000_000)
    figures.isGood = isGood && figures.isGood
    let size = fileSize(path + "/nightjar.db") + fileSize(path + "/nightjar.db-wal")
    figures.databaseBytes = size / Int64(timers)
    line("database", "\(figures.databaseBytes) bytes each")
    return figures
  }

  /// Starts the timers, and leaves spans with them.
  private static func fill(
    _ timers: Int, _ crowd: Crowd, folder path: String
  ) throws(StoreError) -> Figures {
    var figures = Figures()
    // What another crowd left free is not to be taken for room that this one does not need.
    _ = malloc_trim(0)
    let before = residentKiB()
    let rig = try Rig(path: path)
    defer { rig.close() }
    let startUsec = try elapsedUsec { () throws(StoreError) in try rig.start(timers, of: crowd) }
    figures.startNsec = startUsec * 1000 / Int64(timers)
    line("start, durable, in batches of 1,024", "\(figures.startNsec) ns each")
    figures.memoryBytes = Int64((residentKiB() - before) * 1024 / timers)
    line("memory", "\(figures.memoryBytes) bytes each, journal included")

    let leave = rig.leaveSpan(rounds: 101).sorted()
    figures.leaveNsec = leave[50]
    let isGood = bound("leave a span, none due: median", leave[50] / 1000, under: 1000)
    figures.isGood = bound(
      "leave a span, none due: longest of 101", leave[100] / 1000, under: 1000)
    figures.isGood = figures.isGood && isGood
    try rig.settle()
    return figures
  }

  /// Prints what the one costs for each of the other, with what is asked: whether it is kept.
  private static func compare(_ mixed: Figures, with plain: Figures) -> Bool {
    let pairs = [
      ("start", mixed.startNsec, plain.startNsec), ("memory", mixed.memoryBytes, plain.memoryBytes),
      ("leave a span: median", mixed.leaveNsec, plain.leaveNsec),
      ("start-up", mixed.loadUsec, plain.loadUsec),
      ("database", mixed.databaseBytes, plain.databaseBytes),
    ]
    var isGood = true
    for (name, one, other) in pairs {
      let hundredths = one * 100 / max(1, other)
      let text = "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
      line(name, "\(text) (asked: at most 1.50)\(hundredths <= 150 ? "" : "  MISSED")")
      isGood = isGood && hundredths <= 150
    }
    return isGood
  }

  private static func line(_ name: String, _ figure: String) {
    print("  " + name + String(repeating: " ", count: max(1, 48 - name.utf8.count)) + figure)
  }

  /// Prints a figure with the bound that is asked for; whether it is kept.
  private static func bound(_ name: String, _ usec: Int64, under limit: Int64) -> Bool {
    line(name, "\(usec) µs (asked: under \(limit) µs)\(usec < limit ? "" : "  MISSED")")
    return usec < limit
  }

  static func elapsedUsec(_ body: () throws(StoreError) -> Void) throws(StoreError) -> Int64 {
    let begin = monotonicNsec()
    try body()
    return (monotonicNsec() - begin) / 1000
  }

  static func monotonicNsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  private static func residentKiB() -> Int {
    guard let file = fopen("/proc/self/statm", "re") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    guard fgets(&text, 128, file) != nil else { return 0 }
    let fields = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
    )
    .split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4 : 0
  }

  private static func fileSize(_ path: String) -> Int64 {
    var info = stat()
    return stat(path, &info) == 0 ? Int64(info.st_size) : 0
  }

  private static func removeFolder(_ path: String) {
    for name in ["nightjar.db", "nightjar.db-wal", "nightjar.db-shm", "lock"] {
      unlink("\(path)/\(name)")
    }
    rmdir(path)
  }
}
