internal import Glibc
internal import NightjarCore
internal import NightjarStore

/// The core with its storage, driven as the daemon's loop drives it, without the sockets.
enum Bench {
  /// Runs all measurements with `timers` active countdowns; returns the exit code: 1 if a bound is
  /// missed.
  static func run(timers: Int) -> Int32 {
    var template = Array("/tmp/nightjar-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      print("nightjar-bench: /tmp cannot be written")
      return 1
    }
    let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let path = String(decoding: bytes, as: UTF8.self)
    defer { removeFolder(path) }
    do {
      return try measure(timers: timers, folder: path) ? 0 : 1
    } catch {
      print("nightjar-bench: \(error)")
      return 1
    }
  }

  private static func measure(timers: Int, folder path: String) throws(StoreError) -> Bool {
    print("\(timers) active countdowns, 16-byte names, elapsed; SQLite in /tmp, synchronous=FULL")
    let before = residentKiB()
    var rig: Rig? = try Rig(path: path)
    let startUsec = try elapsedUsec { () throws(StoreError) in
      try rig?.start(timers)
    }
    line("start, durable, in batches of 1,024", "\(startUsec * 1000 / Int64(timers)) ns each")
    line("memory", "\((residentKiB() - before) * 1024 / timers) bytes each, journal included")

    let leave = rig?.leaveSpan(rounds: 101) ?? []
    var isGood = bound("leave a span, none due: median", leave.sorted()[50], under: 1000)
    isGood =
      bound("leave a span, none due: longest of 101", leave.max() ?? 0, under: 1000) && isGood
    try rig?.settle()
    rig?.close()
    rig = nil

    let loadUsec = try elapsedUsec { () throws(StoreError) in
      rig = try Rig(path: path)
    }
    guard rig?.service.engine.counts[0] == timers else {
      print("nightjar-bench: \(rig?.service.engine.counts[0] ?? 0) of \(timers) were read back")
      return false
    }
    isGood = bound("start-up, until the timers are armed", loadUsec, under: 2_000_000) && isGood
    let size = fileSize(path + "/nightjar.db") + fileSize(path + "/nightjar.db-wal")
    line("database", "\(size / Int64(timers)) bytes each")
    rig?.close()
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
    let begin = monotonicUsec()
    try body()
    return monotonicUsec() - begin
  }

  static func monotonicUsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
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
