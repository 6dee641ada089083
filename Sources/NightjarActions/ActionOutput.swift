internal import NightjarModel
internal import NightjarSystem
internal import NightjarVarlink

/// What a command prints, line by line into the log: so much of it as a log can bear. The rest is
/// counted and thrown away, so that whoever prints a gigabyte fills nothing; a megabyte at a time, with a
/// rest in between, so that the processor is there for others.
final class ActionOutput {
  /// So much is taken in one pass of the loop, in bytes: lines of one letter, which cost 15 µs each in
  /// the log, keep nobody for longer than a millisecond.
  private static let bytesAtOnce = 128
  /// The rest between one megabyte and the next, in microseconds: a gigabyte takes some four seconds.
  private static let restUsec: Int64 = 4_000

  /// So much of what is thrown away is looked at for the last lines, in bytes.
  private static let keptBytes = 1024

  /// How many bytes were printed.
  private(set) var printedBytes: Int64 = 0
  /// How many of those were thrown away.
  private(set) var droppedBytes: Int64 = 0

  private let pipe: OutputPipe
  private let loop: EventLoop
  private let title: String
  private let fields: [(key: StaticString, value: String)]
  private var line: [UInt8] = []
  private var last = LastLines()
  private var loggedBytes = 0
  private var loggedLines = 0
  private var hasEnded = false
  private var rest: TimerSource?
  /// To be called when all that was printed up to now has been taken.
  private var finished: (() -> Void)?
  /// To be called when nobody can print any more.
  private var ended: (() -> Void)?

  /// - Parameters:
  ///   - title: what stands in front of each line.
  ///   - fields: what stands beside it in the journal.
  init(
    _ pipe: OutputPipe, on loop: EventLoop, title: String,
    fields: [(key: StaticString, value: String)]
  ) throws(SystemError) {
    self.pipe = pipe
    self.loop = loop
    self.title = title
    self.fields = fields
    try pipe.watch(on: loop) { [unowned self] in take() }
  }

  /// The last lines that were printed.
  var lastLines: [String] { last.all }

  /// Nobody may print any more.
  var isOver: Bool { hasEnded }

  /// No more of it is logged.
  private var isFull: Bool {
    loggedBytes >= Limits.loggedBytes || loggedLines >= Limits.loggedLines
  }

  /// The command has ended. Calls `done` when what it printed is in the log, in a later pass.
  func finish(_ done: @escaping () -> Void) {
    finished = done
    loop.later { [weak self] in self?.goOnFinishing() }
  }

  /// Throws away what comes from now on. Calls `ended` when nobody can print any more.
  func discardRest(_ ended: @escaping () -> Void) {
    (loggedBytes, loggedLines) = (Limits.loggedBytes, Limits.loggedLines)
    self.ended = ended
  }

  private func goOnFinishing() {
    guard finished != nil else { return }
    let hasMore = take()
    if hasMore { return loop.later { [weak self] in self?.goOnFinishing() } }
    logRest()
    let done = finished
    finished = nil
    done?()
  }

  /// Takes some of what is there.
  ///
  /// - Returns: whether there may be more of it that is to be logged.
  @discardableResult
  private func take() -> Bool {
    guard !hasEnded else { return false }
    if isFull {
      guard let piece = pipe.discard(keepingLast: Self.keptBytes) else { return end() }
      (printedBytes, droppedBytes) = (printedBytes + piece.count, droppedBytes + piece.count)
      if piece.hasGap { last.skip() }
      last.add(piece.last)
      takeRest()
      return false
    }
    switch pipe.read(upTo: Self.bytesAtOnce) {
    case .bytes(let bytes):
      printedBytes += Int64(bytes.count)
      for byte in bytes { add(byte) }
      last.add(bytes)
      return true
    case .nothing: return false
    case .end: return end()
    }
  }

  private func takeRest() {
    do {
      if rest == nil {
        rest = try loop.timer(on: .monotonic) { [unowned self] in pipe.isWatched = true }
      }
      pipe.isWatched = false
      rest?.arm(atUsec: Clocks.monotonicUsec() + Self.restUsec)
    } catch {
      // Then without one.
    }
  }

  private func end() -> Bool {
    hasEnded = true
    rest?.cancel()
    pipe.unwatch()
    ended?()
    return false
  }

  // MARK: Lines

  private func add(_ byte: UInt8) {
    if byte != UInt8(ascii: "\n") { line.append(byte) }
    if byte == UInt8(ascii: "\n") || line.count == Limits.loggedLineBytes { logLine() }
  }

  private func logLine() {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else { return }
    guard !isFull else {
      droppedBytes += Int64(line.count)
      return
    }
    loggedBytes += line.count + 1
    loggedLines += 1
    Log.write(.info, "\(title): \(String(decoding: line, as: UTF8.self))", fields)
  }

  /// What has no newline behind it, and a word about what is missing.
  private func logRest() {
    logLine()
    guard droppedBytes > 0 else { return }
    Log.write(.notice, "\(title): \(droppedBytes) bytes more were printed, and dropped", fields)
  }
}
