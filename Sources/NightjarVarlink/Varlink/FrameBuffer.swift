/// Cuts a stream of bytes into frames: what stands before each NUL (UAPI.20, "Framing").
///
/// A connection has one. What it receives goes in by `consume`, which hands out frames where they
/// lie in the chunk and copies only an unfinished tail, or by `append` and `drain`.
public struct FrameBuffer {
  /// What became of the bytes.
  public enum Outcome: Equatable, Sendable {
    /// Every whole frame was handed out; an unfinished one may wait for the rest of it.
    case drained
    /// The body asked to stop; what it did not take waits.
    case stopped
    /// A frame is longer than the limit. What came before it was handed out, the rest is dropped,
    /// now and from now on: the connection is to be closed.
    case frameTooLong
  }

  /// An empty buffer that has grown beyond this gives its memory back.
  @usableFromInline static var retainedBytes: Int { 16 * 1024 }

  @usableFromInline let limit: Int
  @usableFromInline var storage: [UInt8] = []
  /// The first byte that has not been handed out.
  @usableFromInline var start = 0
  /// No NUL is between `start` and here: bytes are looked at once, however small the pieces.
  @usableFromInline var searched = 0
  @usableFromInline var isTooLong = false

  /// - Parameter limit: the length of the longest frame, in bytes without the NUL.
  public init(limit: Int = WireLimits.frameBytes) {
    self.limit = limit
  }

  /// How many bytes wait: whole frames that were not taken, and an unfinished one.
  @inlinable public var pendingBytes: Int { storage.count &- start }

  /// Adds bytes to the end. Amortised O(n).
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty, !isTooLong else { return }
    // Moving what waits to the front costs no more than what was handed out since the last time.
    if start > 0, start >= pendingBytes {
      storage.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    storage.append(contentsOf: bytes)
  }

  /// Hands out what waits, frame by frame. O(n) in the bytes looked at.
  ///
  /// - Parameter body: takes one frame without its NUL, good during the call only; false stops
  ///   behind it. If it throws, its frame counts as taken.
  /// - Throws: what `body` throws.
  @inlinable
  public mutating func drain<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Bool
  ) throws(Failure) -> Outcome {
    defer { forgetTaken() }
    while let frame = nextFrame() {
      let goesOn = try storage.withUnsafeBufferPointer { (bytes) throws(Failure) -> Bool in
        try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[frame])))
      }
      guard goesOn else { return .stopped }
    }
    return isTooLong ? .frameTooLong : .drained
  }

  /// Hands out the frames in a chunk that was just received, where they lie, and keeps what is
  /// unfinished or was not taken. O(n).
  ///
  /// - Parameters:
  ///   - chunk: the bytes received, which follow all that was given before.
  ///   - body: as in `drain`.
  /// - Throws: what `body` throws; the frames behind the one it threw at wait.
  @inlinable
  public mutating func consume<Failure: Error>(
    _ chunk: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Bool
  ) throws(Failure) -> Outcome {
    var at = 0
    // Whichever way this is left, what was not handed out is kept.
    defer { append(UnsafeRawBufferPointer(rebasing: chunk[at...])) }
    if pendingBytes > 0 || isTooLong {
      // Only the bytes up to the first NUL are needed to make whole frames of all that waits.
      at = min(Self.firstNUL(in: chunk, from: 0) &+ 1, chunk.count)
      append(UnsafeRawBufferPointer(rebasing: chunk[..<at]))
      let outcome = try drain(body)
      guard outcome == .drained else { return outcome }
    }
    while at < chunk.count {
      let end = Self.firstNUL(in: chunk, from: at)
      guard end &- at <= limit else {
        refuse()
        return .frameTooLong
      }
      guard end < chunk.count else { break }
      let frame = UnsafeRawBufferPointer(rebasing: chunk[at..<end])
      at = end &+ 1
      guard try body(frame) else { return .stopped }
    }
    return .drained
  }
}

// MARK: - Inside

extension FrameBuffer {
  /// The offset of the first NUL from `start` on, or the count. O(n).
  @usableFromInline
  static func firstNUL(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    return Words.firstZero(in: base, from: start, to: bytes.count)
  }

  /// Takes the next whole frame's place in the storage. Notices one that is too long.
  @usableFromInline
  mutating func nextFrame() -> Range<Int>? {
    let end = storage.withUnsafeBytes { Self.firstNUL(in: $0, from: searched) }
    searched = end
    guard end - start <= limit else {
      refuse()
      return nil
    }
    guard end < storage.count else { return nil }
    defer {
      start = end + 1
      searched = start
    }
    return start..<end
  }

  @usableFromInline
  mutating func refuse() {
    isTooLong = true
    storage = []
    start = 0
    searched = 0
  }

  /// Everything was handed out: the storage starts over.
  @usableFromInline
  mutating func forgetTaken() {
    guard start == storage.count else { return }
    storage.removeAll(keepingCapacity: storage.capacity <= Self.retainedBytes)
    start = 0
    searched = 0
  }
}
