/// Splits a stream of bytes into frames, each ended by a NUL (UAPI.20, "Framing").
///
/// Each connection has one. `consume` takes received bytes and passes on their frames without
/// copying them; it copies only an unfinished frame. Alternatively, `append` stores bytes, and
/// `drain` passes on the stored frames.
public struct FrameBuffer {
  /// The result of processing bytes.
  public enum Outcome: Equatable, Sendable {
    /// All whole frames were passed on; the beginning of another may be stored.
    case drained
    /// The body asked to stop; the frames that it did not get are stored.
    case stopped
    /// A frame is longer than the limit. The frames before it were passed on. The rest is dropped,
    /// and so is everything that follows: the caller must close the connection.
    case frameTooLong
  }

  /// An empty buffer with a larger capacity frees its memory.
  @usableFromInline static var retainedBytes: Int { 16 * 1024 }

  @usableFromInline let limit: Int
  @usableFromInline var storage: [UInt8] = []
  /// The first byte that was not passed on.
  @usableFromInline var start = 0
  /// There is no NUL between `start` and this offset. With it, each byte is searched only once,
  /// however small the chunks are.
  @usableFromInline var searched = 0
  @usableFromInline var isTooLong = false

  /// - Parameter limit: the length of the longest frame in bytes, without its NUL.
  public init(limit: Int = WireLimits.frameBytes) {
    self.limit = limit
  }

  /// How many bytes are stored: whole frames that were not passed on, and an unfinished one.
  @inlinable public var pendingBytes: Int { storage.count &- start }

  /// Adds bytes to the end. Amortised O(n).
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty, !isTooLong else { return }
    // This moves the stored bytes to the front. It is cheap: it moves at most as many bytes as were
    // passed on before.
    if start > 0, start >= pendingBytes {
      storage.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    storage.append(contentsOf: bytes)
  }

  /// Passes on the stored frames. O(n) in the bytes searched.
  ///
  /// - Parameter body: gets one frame without its NUL, valid only during the call. If it returns
  ///   false, no more frames are passed on. If it throws, its frame counts as passed on.
  /// - Throws: the error of `body`.
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

  /// Passes on the frames of a received chunk without copying them. Stores an unfinished frame and
  /// the frames that were not passed on. O(n).
  ///
  /// - Parameters:
  ///   - chunk: the received bytes, which follow all earlier ones.
  ///   - body: as in `drain`.
  /// - Throws: the error of `body`; the frames after the one at which it threw are stored.
  @inlinable
  public mutating func consume<Failure: Error>(
    _ chunk: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Bool
  ) throws(Failure) -> Outcome {
    var at = 0
    // However this function ends, the bytes that were not passed on are stored.
    defer { append(UnsafeRawBufferPointer(rebasing: chunk[at...])) }
    if pendingBytes > 0 || isTooLong {
      // Only the bytes up to the first NUL are needed to finish the stored frame.
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

// MARK: - Implementation

extension FrameBuffer {
  /// The offset of the first NUL from `start` on, or the count. O(n).
  @usableFromInline
  static func firstNUL(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    return Words.firstZero(in: base, from: start, to: bytes.count)
  }

  /// Removes the next whole frame and returns its place in the storage. Notices a frame that is too
  /// long.
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

  /// Clears the storage if everything was passed on.
  @usableFromInline
  mutating func forgetTaken() {
    guard start == storage.count else { return }
    storage.removeAll(keepingCapacity: storage.capacity <= Self.retainedBytes)
    start = 0
    searched = 0
  }
}
