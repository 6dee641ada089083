import Glibc

/// What read(2) failed with.
public struct ReadFailure: Error {
  /// `errno`.
  public let code: Int32
}

/// Files that people write, which are small and are read whole.
public enum FileBytes {
  /// Reads an open file to its end. Of a file that is longer than `limit` it returns one byte more than
  /// `limit`, so that the caller can tell. O(bytes).
  public static func read(_ descriptor: Int32, limit: Int) throws(ReadFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= limit {
      let count = Glibc.read(descriptor, &part, min(part.count, limit + 1 - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw ReadFailure(code: errno) }
      if count == 0 { break }
      bytes += part[..<count]
    }
    return bytes
  }
}
