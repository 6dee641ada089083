internal import Glibc
internal import NightjarLedger

/// The length of a file, and a checksum of its words. If a few bits of the file change, the
/// checksum always changes.
struct FileChecksum: Equatable {
  let bytes: Int64
  let sum: Int64

  init(bytes: Int64, sum: Int64) {
    self.bytes = bytes
    self.sum = sum
  }

  /// Reads the file at a path. Do not use this for a file that this process has open with SQLite:
  /// closing any descriptor of the file ends the process's locks
  /// (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
  ///
  /// - Parameter end: bytes from this offset on are ignored.
  init(of path: String, upTo end: Int64 = .max) throws(StoreError) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw .file(path, String(cString: strerror(errno))) }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var total: Int64 = 0
    var (first, second): (UInt64, UInt64) = (0, 0)
    while true {
      let read = Self.fill(&buffer, from: file, at: total)
      let count = Int(min(Int64(read), end - total))
      guard count >= 0 else { throw .file(path, String(cString: strerror(errno))) }
      buffer.withUnsafeBytes { Self.add($0[..<count], &first, &second) }
      total += Int64(count)
      if count < buffer.count { break }
    }
    bytes = total
    // The bits are mixed. Otherwise a change of the highest bit would be in both sums and cancel
    // out.
    second = (second ^ second >> 33) &* 0xFF51_AFD7_ED55_8CCD
    sum = Int64(bitPattern: first ^ second ^ second >> 33)
  }

  /// - Returns: the number of bytes that were read, which is below the buffer's size only at the
  ///   end of the file. -1 on failure, with errno set.
  private static func fill(_ buffer: inout [UInt8], from file: Int32, at offset: Int64) -> Int {
    var done = 0
    let capacity = buffer.count
    while done < capacity {
      let count = buffer.withUnsafeMutableBytes { bytes in
        pread(file, bytes.baseAddress?.advanced(by: done), capacity - done, off_t(offset) + done)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return -1 }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Fletcher's two sums: of the words, and of the first sums. The second depends on the order of
  /// the words.
  private static func add(
    _ bytes: Slice<UnsafeRawBufferPointer>, _ first: inout UInt64, _ second: inout UInt64
  ) {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    let whole = bytes.count & ~7
    var offset = 0
    while offset < whole {
      first &+= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
      second &+= first
      offset &+= 8
    }
    while offset < bytes.count {
      first &+= UInt64(bytes[offset])
      second &+= first
      offset += 1
    }
  }
}
