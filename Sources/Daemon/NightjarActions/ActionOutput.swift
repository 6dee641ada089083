internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Writes the output of a command to the log, line by line, up to a limit. The rest is counted and
/// discarded, so a command that prints a gigabyte does not fill the disk. After each discarded
/// megabyte there is a pause, so that other programs get the processor.
final class ActionOutput {
  /// How much is read in one loop iteration, in bytes. Lines of one letter cost 15 µs each in the
  /// log, so this takes at most a millisecond.
  private static let bytesAtOnce = 128
  /// The pause after each discarded megabyte, in microseconds. With it, a gigabyte takes about four
  /// seconds.
  private static let pauseUsec: Int64 = 4_000

  /// How much of the discarded output is searched for the last lines, in bytes.
  private static let tailBytes = 1024

  /// How many bytes the command has printed.
  private(set) var printedBytes: Int64 = 0
  /// How many of the printed bytes were discarded.
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
  /// Called when all output up to the call of `finish` has been read.
  private var finished: (() -> Void)?
  /// Called when no process can write to the output any more.
  private var ended: (() -> Void)?

  /// - Parameters:
  ///   - title: the prefix of each line.
  ///   - fields: the journal fields of each line.
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

  var lastLines: [String] { last.all }

  /// Whether no process can write to the output any more.
  var isOver: Bool { hasEnded }

  /// Whether the log's limit is reached.
  private var isFull: Bool {
    loggedBytes >= Limits.loggedBytes || loggedLines >= Limits.loggedLines
  }

  /// Tells this object that the command has ended. `done` is called in a later loop iteration, when
  /// the output is in the log.
  func finish(_ done: @escaping () -> Void) {
    finished = done
    loop.later { [weak self] in self?.continueFinishing() }
  }

  /// Discards all output from now on. `ended` is called when no process can write to the output any
  /// more.
  func discardRest(_ ended: @escaping () -> Void) {
    (loggedBytes, loggedLines) = (Limits.loggedBytes, Limits.loggedLines)
    self.ended = ended
  }

  private func continueFinishing() {
    guard finished != nil else { return }
    let hasMore = take()
    if hasMore { return loop.later { [weak self] in self?.continueFinishing() } }
    logRest()
    let done = finished
    finished = nil
    done?()
  }

  /// Reads some of the available output.
  ///
  /// - Returns: whether there may be more output to log.
  @discardableResult
  private func take() -> Bool {
    guard !hasEnded else { return false }
    if isFull {
      guard let piece = pipe.discard(keepingLast: Self.tailBytes) else { return end() }
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
      rest?.arm(atUsec: Clocks.monotonicUsec() + Self.pauseUsec)
    } catch {
      // If the timer for the pause cannot be made, there is no pause.
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

  /// Logs the last line if it has no newline, and the number of discarded bytes.
  private func logRest() {
    logLine()
    guard droppedBytes > 0 else { return }
    Log.write(.notice, "\(title): \(droppedBytes) bytes more were printed, and dropped", fields)
  }
}
