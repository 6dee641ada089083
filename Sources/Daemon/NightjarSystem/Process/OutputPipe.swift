import CLinux
import Glibc

/// The pipe for the output of a program. The loop reads the output without blocking, or discards it
/// at little cost.
public final class OutputPipe {
  /// The result of `read`.
  public enum Piece {
    case bytes(ArraySlice<UInt8>)
    /// No output is available now.
    case nothing
    /// The output has ended: no process can write any more.
    case end
  }

  /// The largest pipe that an ordinary user may have (`fs.pipe-max-size`, pipe(7)).
  private static let widestBytes = 1 << 20

  private let reading: Descriptor
  private var writing: Int32
  private var source: Source?
  private var null: Int32 = -1

  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try checked(nj_output_pipe(&ends), "pipe2")
    reading = Descriptor(owning: ends[0])
    writing = ends[1]
  }

  /// Takes over the reading end of a pipe that another process has created.
  public init(reading descriptor: Int32) {
    reading = Descriptor(owning: descriptor)
    writing = -1
  }

  deinit {
    source?.cancel()
    closeWriting()
    if null >= 0 { close(null) }
  }

  /// The reading end, for a caller that needs a copy of it.
  public var readingEnd: Int32 { reading.raw }

  /// The writing end, which the program gets as its output.
  public var writingEnd: Int32 { writing }

  /// Closes the writing end, once the program has its own copy.
  public func closeWriting() {
    if writing >= 0 { close(writing) }
    writing = -1
  }

  /// Calls `body` when output is available or has ended. The source has the lowest priority.
  public func watch(on loop: EventLoop, _ body: @escaping () -> Void) throws(SystemError) {
    source = try loop.watchReadable(reading.raw, priority: 20, body)
  }

  /// Whether `body` is called. Output that arrives while this is off is reported when it is on
  /// again.
  public var isWatched = true {
    didSet { source?.isEnabled = isWatched }
  }

  /// Stops watching for good.
  public func unwatch() {
    source?.cancel()
    source = nil
  }

  /// Reads the available output, at most `limit` bytes.
  public func read(upTo limit: Int) -> Piece {
    var piece = [UInt8](repeating: 0, count: limit)
    while true {
      let count = Glibc.read(reading.raw, &piece, limit)
      if count > 0 { return .bytes(piece[..<count]) }
      if count < 0, errno == EINTR { continue }
      return count < 0 && errno == EAGAIN ? .nothing : .end
    }
  }

  /// Discards the available output, and returns its last bytes.
  ///
  /// - Parameter limit: the most bytes to return.
  /// - Returns: how many bytes were available, whether some were discarded, and the last ones; nil
  ///   at the end.
  public func discard(
    keepingLast limit: Int
  ) -> (count: Int64, hasGap: Bool, last: ArraySlice<UInt8>)? {
    var available: Int32 = 0
    var passedOver: Int64 = 0
    if ioctl(reading.raw, UInt(FIONREAD), &available) == 0, Int(available) > limit {
      guard let count = discard(atMost: Int(available) - limit) else { return nil }
      passedOver = count
    }
    switch read(upTo: limit) {
    case .bytes(let bytes): return (passedOver + Int64(bytes.count), passedOver > 0, bytes)
    case .nothing: return (passedOver, passedOver > 0, [])
    case .end: return passedOver > 0 ? (passedOver, true, []) : nil
    }
  }

  /// - Returns: how many bytes were discarded; nil if the output has ended.
  private func discard(atMost limit: Int) -> Int64? {
    if null < 0 {
      null = open("/dev/null", O_WRONLY | O_CLOEXEC)
      // If this fails, the pipe stays narrow, and discarding takes more calls.
      _ = nj_widen_pipe(reading.raw, Int32(Self.widestBytes))
    }
    guard null >= 0 else { return discardByReading(atMost: min(limit, 65_536)) }
    let count = nj_discard(reading.raw, null, min(limit, Self.widestBytes))
    if count > 0 { return count }
    return count == -Int64(EAGAIN) ? 0 : nil
  }

  private func discardByReading(atMost limit: Int) -> Int64? {
    switch read(upTo: limit) {
    case .bytes(let bytes): Int64(bytes.count)
    case .nothing: 0
    case .end: nil
    }
  }
}
