/// Splits a stream of bytes into frames. A NUL ends each frame (UAPI.20, "Framing").
///
/// Each connection has its own buffer. `consume` takes received bytes and passes on their frames
/// without copying them; it copies only an unfinished frame. Alternatively, `append` stores bytes,
/// and `drain` passes on the stored frames.
public struct FrameBuffer {
  /// The result of processing bytes.
  public enum Outcome: Equatable, Sendable {
    /// All whole frames were passed on. The beginning of another frame may be stored.
    case drained
    /// `body` returned false. The frames that were not passed on are stored.
    case stopped
    /// A frame is longer than the limit. The frames before it were passed on. The rest of the frame
    /// and all later bytes are dropped: the caller must close the connection.
    case frameTooLong
  }

  /// If the storage is empty and its capacity is larger than this, its memory is freed.
  @usableFromInline static var retainedBytes: Int { 16 * 1024 }

  @usableFromInline let limit: Int
  @usableFromInline var storage: [UInt8] = []
  /// The offset of the first byte that was not passed on.
  @usableFromInline var start = 0
  /// An offset: there is no NUL between `start` and this offset. So each byte is searched only
  /// once, even if the bytes arrive in small chunks.
  @usableFromInline var searched = 0
  @usableFromInline var isTooLong = false

  /// - Parameter limit: the length of the longest frame in bytes, without its NUL.
  public init(limit: Int = WireLimits.frameBytes) {
    self.limit = limit
  }

  /// How many bytes are stored: whole frames that were not passed on, and the unfinished frame.
  @inlinable public var pendingBytes: Int { storage.count &- start }

  /// Adds received bytes to the stored ones. Amortised O(n).
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty, !isTooLong else { return }
    // Move the stored bytes to the front. This is cheap, because at most as many bytes are moved as
    // were passed on before.
    if start > 0, start >= pendingBytes {
      storage.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    storage.append(contentsOf: bytes)
  }

  /// Passes on the stored frames. O(n) in the bytes searched.
  ///
  /// - Parameter body: gets one frame without its NUL, which is valid only during the call. If
  ///   `body` returns false, no more frames are passed on. If `body` throws, its frame counts as
  ///   passed on.
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
  ///   - chunk: the received bytes, which follow all bytes that were received before.
  ///   - body: as in `drain`.
  /// - Throws: the error of `body`. The frames after the one at which `body` threw are stored.
  @inlinable
  public mutating func consume<Failure: Error>(
    _ chunk: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Bool
  ) throws(Failure) -> Outcome {
    var at = 0
    // However this function ends, the bytes that were not passed on are stored.
    defer { append(UnsafeRawBufferPointer(rebasing: chunk[at...])) }
    if pendingBytes > 0 || isTooLong {
      // To finish the stored frame, only the bytes up to the first NUL are needed.
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
  /// The offset of the first NUL from `start` on; if there is none, the number of bytes. O(n).
  @usableFromInline
  static func firstNUL(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    return Words.firstZero(in: base, from: start, to: bytes.count)
  }

  /// Removes the next whole frame, and returns its place in the storage. Also detects a frame that
  /// is too long.
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

  /// Empties the storage if all bytes were passed on.
  @usableFromInline
  mutating func forgetTaken() {
    guard start == storage.count else { return }
    storage.removeAll(keepingCapacity: storage.capacity <= Self.retainedBytes)
    start = 0
    searched = 0
  }
}
