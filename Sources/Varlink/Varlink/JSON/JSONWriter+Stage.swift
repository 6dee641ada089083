extension JSONWriter {
  /// A buffer for bytes that were not moved to the array yet.
  @usableFromInline typealias Stage = InlineArray<256, UInt8>

  /// A pointer to free room in a buffer. It only moves forward. The caller has reserved enough
  /// room.
  @usableFromInline
  struct Target {
    @usableFromInline var next: UnsafeMutablePointer<UInt8>

    @inlinable
    @inline(__always)
    init(_ start: UnsafeMutablePointer<UInt8>) { next = start }

    @inlinable
    @inline(__always)
    mutating func byte(_ byte: UInt8) {
      next.pointee = byte
      next += 1
    }

    /// Writes a comma. If no comma is needed, the next write overwrites it.
    @inlinable
    @inline(__always)
    mutating func comma(_ isNeeded: Bool) {
      next.pointee = UInt8(ascii: ",")
      next += isNeeded ? 1 : 0
    }

    /// Copies bytes. May overwrite up to eight bytes of the room after them.
    @inlinable
    @inline(__always)
    mutating func copy(_ start: UnsafePointer<UInt8>, count: Int) {
      if count < 8 {
        Words.store(Words.loadShort(start, count: count), to: next)
      } else if count <= 32 {
        let last = count &- 8
        var at = 0
        while at < last {
          Words.store(Words.load(start + at), to: next + at)
          at &+= 8
        }
        Words.store(Words.load(start + last), to: next + last)
      } else {
        UnsafeMutableRawPointer(next).copyMemory(from: start, byteCount: count)
      }
      next += count
    }
  }

  /// Writes a comma if one is needed before the next value or name, and then calls `body` to write
  /// that value or name.
  ///
  /// - Parameters:
  ///   - capacity: the most bytes that `body` writes. Up to eight bytes after them may be
  ///     overwritten, too.
  ///   - thenComma: whether the next value or name needs a comma before it.
  ///   - body: writes the bytes.
  @inlinable
  @inline(__always)
  mutating func place(capacity: Int, thenComma: Bool = true, _ body: (inout Target) -> Void) {
    let comma = needsComma
    needsComma = thenComma
    // One byte is for the comma, and eight bytes may be overwritten.
    let room = capacity &+ 9
    if room > Stage.count &- staged { flush() }
    guard room <= Stage.count else {
      return extend(by: room) { target in
        target.comma(comma)
        body(&target)
      }
    }
    withUnsafeMutableBytes(of: &stage) { stage in
      let start = stage.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
      var target = Target(start + staged)
      target.comma(comma)
      body(&target)
      staged = target.next - start
    }
  }

  /// Moves the bytes of the stage to the array.
  @usableFromInline
  @inline(never)
  mutating func flush() {
    let count = staged
    guard count > 0 else { return }
    staged = 0
    withUnsafeBytes(of: &stage) { stage in
      bytes.append(addingCapacity: count) { span in
        span.withUnsafeMutableBufferPointer { buffer, length in
          UnsafeMutableRawBufferPointer(buffer).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: stage[..<count]))
          length = count
        }
      }
    }
  }

  /// Calls `body` to write directly into the array, for a value that is too long for the stage.
  @usableFromInline
  @inline(never)
  mutating func extend(by capacity: Int, _ body: (inout Target) -> Void) {
    bytes.append(addingCapacity: capacity) { span in
      span.withUnsafeMutableBufferPointer { buffer, count in
        guard let start = buffer.baseAddress else { return }
        var target = Target(start)
        body(&target)
        count = target.next - start
      }
    }
  }
}
