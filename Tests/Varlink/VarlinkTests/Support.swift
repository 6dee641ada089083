import Foundation
import Testing
import Varlink

/// Memory between two pages that cannot be accessed: reading a byte outside of the buffer ends the
/// process.
final class GuardedMemory {
  private let start: UnsafeMutableRawPointer
  private let page = sysconf(Int32(_SC_PAGESIZE))

  init() {
    guard let start = mmap(nil, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      start != MAP_FAILED, mprotect(start + page, page, PROT_READ | PROT_WRITE) == 0
    else { preconditionFailure("no guarded memory: \(errno)") }
    self.start = start
  }

  deinit { munmap(start, 3 * page) }

  /// Passes on two copies of `bytes`: one directly before an inaccessible page, and one directly
  /// after one.
  func withCopies(of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    precondition(bytes.count <= page)
    for offset in [page, 2 * page - bytes.count] {
      let copy = UnsafeMutableRawBufferPointer(start: start + offset, count: bytes.count)
      copy.copyBytes(from: bytes)
      try body(UnsafeRawBufferPointer(copy))
    }
  }
}

/// The error of reading a whole document; nil: there is none.
func refusal(of bytes: [UInt8]) -> JSONError? {
  bytes.withUnsafeBytes { refusal(of: $0) }
}

func refusal(of bytes: UnsafeRawBufferPointer) -> JSONError? {
  var scanner = JSONScanner(bytes)
  do throws(JSONError) {
    try scanner.skipValue()
    try scanner.finish()
    return nil
  } catch {
    return error
  }
}

/// Runs `body` on a scanner for `text`.
func scan<Result>(
  _ text: String, _ body: (inout JSONScanner) throws(JSONError) -> Result
) throws(JSONError) -> Result {
  try Array(text.utf8).withUnsafeBufferPointer { (buffer) throws(JSONError) -> Result in
    var scanner = JSONScanner(UnsafeRawBufferPointer(buffer))
    return try body(&scanner)
  }
}

/// The error that `body` throws; nil: it throws none.
func problem<Result>(
  _ text: String, _ body: (inout JSONScanner) throws(JSONError) -> Result
) -> JSONError? {
  do throws(JSONError) {
    _ = try scan(text, body)
    return nil
  } catch {
    return error
  }
}

/// The text that `body` writes.
func written(_ body: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  body(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}

/// Bytes as text for the message of a failure.
func shown(_ bytes: [UInt8]) -> String {
  "\(String(decoding: bytes, as: UTF8.self).debugDescription) \(bytes.prefix(64))"
}

/// `#expect` for loops with many thousands of iterations: it costs nothing unless it fails.
func check(
  _ condition: Bool, _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if !condition { Issue.record("\(what())", sourceLocation: sourceLocation) }
}

/// The two ends of a connection.
func connectedPair(
  frameBytes: Int = WireLimits.frameBytes
) throws -> (VarlinkConnection, VarlinkConnection) {
  var ends: [Int32] = [-1, -1]
  let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
  return (
    VarlinkConnection(owning: ends[0], frameBytes: frameBytes),
    VarlinkConnection(owning: ends[1])
  )
}
