import Glibc
import NightjarTestSupport
import Varlink

/// A connection that sends raw bytes, for calls that no client library would make.
final class RawSocket {
  let connection: VarlinkConnection
  var descriptor: Int32 { connection.descriptor }
  private var hasEnded: Bool { connection.isBroken || connection.hasInputEnded }

  init(path: String) throws {
    do throws(ConnectFailure) {
      connection = try VarlinkConnection(path: path, msec: -1)
    } catch {
      throw Unmet(description: "connect to \(path): \(String(cString: strerror(error.code)))")
    }
  }

  // MARK: Sending

  /// Sends bytes and waits while the daemon accepts none. On a connection that the daemon has
  /// closed, everything is dropped.
  func send(_ bytes: [UInt8]) throws {
    connection.outlet.output += bytes
    connection.flushAll()
  }

  func send(frame text: String) throws { try send(Array(text.utf8) + [0]) }

  /// Sends as much as is accepted without waiting, and returns the number of bytes.
  func sendWhatFits(_ bytes: [UInt8]) -> Int {
    connection.outlet.output += bytes
    connection.flush()
    let left = connection.outlet.backlogBytes
    connection.outlet.output.removeLast(left)
    return bytes.count - left
  }

  /// Sends bytes and reads replies as far as either is possible; returns the first `count` replies.
  func exchange(_ bytes: [UInt8], replies count: Int, within seconds: Double = 60) throws
    -> [VarlinkReply]
  {
    let boundUsec = Now.boottimeUsec + Int64(seconds * 1e6)
    var (sent, replies): (Int, [VarlinkReply]) = (0, [])
    while replies.count < count {
      if sent < bytes.count {
        sent += sendWhatFits(Array(bytes[sent..<min(sent + 65536, bytes.count)]))
      }
      if let reply = try connection.nextReply() {
        replies.append(reply)
      } else if hasEnded {
        break
      } else {
        try receive(untilUsec: boundUsec, orWritable: sent < bytes.count)
      }
    }
    return replies
  }

  /// Shuts down the sending side; replies can still be read.
  func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  // MARK: Receiving

  /// The next reply; nil once the daemon has closed the connection.
  func reply(within seconds: Double = 30) throws -> VarlinkReply? {
    guard let frame = try frame(within: seconds) else { return nil }
    return try frame.withUnsafeBytes { try VarlinkReply.parse($0) }
  }

  /// The next message without its NUL; nil once the daemon has closed the connection.
  func frame(within seconds: Double = 30) throws -> [UInt8]? {
    let boundUsec = Now.boottimeUsec + Int64(seconds * 1e6)
    while true {
      if let frame = connection.nextFrame() { return frame }
      if hasEnded { return nil }
      try receive(untilUsec: boundUsec)
    }
  }

  private func receive(untilUsec boundUsec: Int64, orWritable: Bool = false) throws {
    let leftMsec = max(0, (boundUsec - Now.boottimeUsec) / 1000)
    let found = Poll.wait(
      for: [(descriptor, orWritable ? [.readable, .writable] : .readable)],
      msec: Int32(leftMsec))[0]
    guard !found.isEmpty || leftMsec > 0 else {
      throw Unmet(description: "the daemon has not answered in time")
    }
    connection.advance(found)
  }

  // MARK: Calls

  /// Sends a call with parameters as JSON text, and returns its reply.
  func call(_ method: String, _ parameters: String) throws -> VarlinkReply {
    try send(frame: Self.text(method, parameters))
    guard let reply = try reply() else {
      throw Unmet(description: "the daemon closed the connection on \(method) \(parameters)")
    }
    return reply
  }

  static func bytes(_ calls: [String]) -> [UInt8] {
    calls.flatMap { Array($0.utf8) + [0] }
  }

  /// A call as text; a name without a dot is one of `org.nightjar.Timers`.
  static func text(_ method: String, _ parameters: String, _ flags: String = "") -> String {
    let full = method.contains(".") ? method : "org.nightjar.Timers.\(method)"
    return #"{"method":"\#(full)","parameters":\#(parameters)\#(flags)}"#
  }
}
