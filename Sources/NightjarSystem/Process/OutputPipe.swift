import CLinux
import Glibc

/// What a program prints, as the loop reads it: without ever waiting, and at little cost for what is
/// only thrown away.
public final class OutputPipe {
  /// What `read` came to.
  public enum Piece {
    case bytes(ArraySlice<UInt8>)
    /// There is nothing now.
    case nothing
    /// Nobody can print any more.
    case end
  }

  /// As much as an ordinary user may have in a pipe (`fs.pipe-max-size`, pipe(7)).
  private static let widestBytes = 1 << 20

  private let reading: Descriptor
  private var writing: Int32
  private var source: Source?
  private var null: Int32 = -1

  /// Makes one that nobody prints to yet.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try checked(nj_output_pipe(&ends), "pipe2")
    reading = Descriptor(owning: ends[0])
    writing = ends[1]
  }

  /// Takes over one that another process has made: the end that is read.
  public init(reading descriptor: Int32) {
    reading = Descriptor(owning: descriptor)
    writing = -1
  }

  deinit {
    source?.cancel()
    closeWriting()
    if null >= 0 { close(null) }
  }

  /// The end that is read, for somebody who keeps a copy of it.
  public var readingEnd: Int32 { reading.raw }

  /// The end to print to, for the program that is to have it.
  public var writingEnd: Int32 { writing }

  /// Closes that end: the program has its own by now.
  public func closeWriting() {
    if writing >= 0 { close(writing) }
    writing = -1
  }

  /// Has `body` called whenever there is something to read, or its end; less urgent than all else.
  public func watch(on loop: EventLoop, _ body: @escaping () -> Void) throws(SystemError) {
    source = try loop.watchReadable(reading.raw, priority: 20, body)
  }

  /// Whether it is called; what came meanwhile is told when it is again.
  public var isWatched = true {
    didSet { source?.isEnabled = isWatched }
  }

  /// Nothing is called any more.
  public func unwatch() {
    source?.cancel()
    source = nil
  }

  /// Reads what is there, at most `limit` bytes.
  public func read(upTo limit: Int) -> Piece {
    var piece = [UInt8](repeating: 0, count: limit)
    while true {
      let count = Glibc.read(reading.raw, &piece, limit)
      if count > 0 { return .bytes(piece[..<count]) }
      if count < 0, errno == EINTR { continue }
      return count < 0 && errno == EAGAIN ? .nothing : .end
    }
  }

  /// Throws away what is there, but for the last bytes of it.
  ///
  /// - Parameter limit: how many of those at the most.
  /// - Returns: how many bytes there were, whether some were passed over, and the last; nil at the end.
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

  /// - Returns: how many bytes; nil at the end.
  private func discard(atMost limit: Int) -> Int64? {
    if null < 0 {
      null = open("/dev/null", O_WRONLY | O_CLOEXEC)
      // Without it, it just takes more turns.
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
