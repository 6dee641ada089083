/// Limits how many lines of one kind are written in an interval, and counts the lines that are left
/// out.
///
/// Without the limit, a client could fill the disk by repeating a request that the daemon logs.
struct LogLimit {
  /// The most lines of one kind that are written in an interval.
  static let lines = 10
  /// The length of an interval, in microseconds, from its first line.
  static let intervalUsec: Int64 = 60_000_000

  private var endUsec = Int64.min
  private var written = 0
  private(set) var suppressed = 0

  /// When the number of omitted lines should be logged; nil: no line was omitted.
  var dueUsec: Int64? { suppressed > 0 ? endUsec : nil }

  /// Whether a line may be written now. If not, the line is counted as omitted.
  mutating func admits(atUsec nowUsec: Int64) -> Bool {
    // The number of omitted lines is logged before another interval begins.
    if nowUsec >= endUsec, suppressed == 0 { (endUsec, written) = (nowUsec + Self.intervalUsec, 0) }
    guard written < Self.lines, suppressed == 0 else {
      suppressed += 1
      return false
    }
    written += 1
    return true
  }

  /// Returns the number of omitted lines, which the caller logs, and sets the number to 0.
  mutating func take() -> Int {
    defer { (suppressed, endUsec) = (0, .min) }
    return suppressed
  }
}

/// The daemon's log for events that clients can cause as often as they like. Each kind of line has
/// its own limit.
public final class LimitedLog {
  private struct Kind {
    var limit = LogLimit()
    var level = Log.Level.info
    var last = ""
  }

  private var kinds: [String: Kind] = [:]
  private let nowUsec: () -> Int64
  private let sink: (Log.Level, String, [(key: StaticString, value: String)]) -> Void
  private var timer: TimerSource?

  /// Makes a log that writes the numbers of omitted lines itself, from a timer of the loop.
  public convenience init(loop: EventLoop) throws(SystemError) {
    self.init(nowUsec: Clocks.monotonicUsec) { Log.write($0, $1, $2) }
    timer = try loop.timer(on: .monotonic) { [unowned self] in
      logDue()
      arm()
    }
  }

  init(
    nowUsec: @escaping () -> Int64,
    sink: @escaping (Log.Level, String, [(key: StaticString, value: String)]) -> Void
  ) {
    (self.nowUsec, self.sink) = (nowUsec, sink)
  }

  deinit { timer?.cancel() }

  /// Writes an entry, unless the limit for entries of its kind is reached.
  public func write(
    _ kind: StaticString, _ level: Log.Level, _ message: String,
    _ fields: [(key: StaticString, value: String)] = []
  ) {
    logDue()
    var entry = kinds[kind.description] ?? Kind()
    if entry.limit.admits(atUsec: nowUsec()) {
      sink(level, message, fields)
    } else {
      (entry.level, entry.last) = (level, message)
    }
    kinds[kind.description] = entry
    arm()
  }

  /// Logs the number of omitted lines of every kind. The daemon calls this when it exits.
  public func flush() { logOmitted { _ in true } }

  /// When the next number of omitted lines is to be logged; nil: no lines were omitted.
  var dueUsec: Int64? { kinds.values.compactMap(\.limit.dueUsec).min() }

  /// Logs the number of omitted lines of each kind whose interval is over.
  func logDue() {
    let now = nowUsec()
    logOmitted { $0.dueUsec.map { $0 <= now } ?? false }
  }

  private func logOmitted(_ isIncluded: (LogLimit) -> Bool) {
    for kind in kinds.keys.sorted() {
      guard var entry = kinds[kind], isIncluded(entry.limit), entry.limit.suppressed > 0 else {
        continue
      }
      let count = entry.limit.take()
      sink(
        entry.level, "\(count) more such lines were left out; the last: \(entry.last)",
        [("NIGHTJAR_SUPPRESSED", "\(count)")])
      entry.last = ""
      kinds[kind] = entry
    }
  }

  private func arm() { timer?.arm(atUsec: dueUsec) }
}
