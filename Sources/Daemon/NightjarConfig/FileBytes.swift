import Glibc

/// A failure of read(2).
public struct ReadFailure: Error {
  /// The `errno` of the call.
  public let code: Int32
}

/// Reads small files that users write, as a whole.
public enum FileBytes {
  /// Reads an open file to its end. If the file is longer than `limit`, the result has `limit` + 1
  /// bytes, so that the caller can detect this. O(bytes).
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
