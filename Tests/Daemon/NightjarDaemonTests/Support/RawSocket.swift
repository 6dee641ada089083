import CLinux
import Glibc
import NightjarTestSupport
import Varlink

/// A connection that sends raw bytes, for calls that no client library would make.
final class RawSocket {
  let descriptor: Int32
  private var frames = FrameBuffer(limit: 64 * 1024 * 1024)
  private var waiting: [[UInt8]] = []
  private var hasEnded = false

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw Unmet(description: "socket: \(String(cString: strerror(errno)))")
    }
    let code = nj_unix_connect(descriptor, path)
    guard code == 0 else {
      // All properties are set by now, so deinit closes the descriptor.
      throw Unmet(description: "connect to \(path): \(String(cString: strerror(-code)))")
    }
  }

  deinit { close(descriptor) }

  // MARK: Sending

  /// Sends bytes and waits while the daemon accepts none. On a connection that the daemon has
  /// closed, everything is dropped.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EPIPE || errno == ECONNRESET { return }
      guard count >= 0 || errno == EINTR else {
        throw Unmet(description: "send: \(String(cString: strerror(errno)))")
      }
      sent += max(0, count)
    }
  }

  /// Sends a text and the NUL that ends a message.
  func send(frame text: String) throws { try send(Array(text.utf8) + [0]) }

  /// Sends as much as is accepted without waiting, and returns the number of bytes.
  func sendWhatFits(_ bytes: [UInt8]) -> Int {
    let count = bytes.withUnsafeBytes {
      Glibc.send(
        descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    return max(0, count)
  }

  /// Sends bytes and reads replies as far as either is possible; returns the first `count` replies.
  func exchange(_ bytes: [UInt8], replies count: Int, within seconds: Double = 60) throws
    -> [VarlinkReply]
  {
    let boundUsec = Now.boottimeUsec + Int64(seconds * 1e6)
    var sent = 0
    while waiting.count < count, !hasEnded {
      sent +=
        sent < bytes.count ? sendWhatFits(Array(bytes[sent..<min(sent + 65536, bytes.count)])) : 0
      try receive(untilUsec: boundUsec, orWritable: sent < bytes.count)
    }
    return try (0..<count).compactMap { _ in try reply() }
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
    while waiting.isEmpty, !hasEnded { try receive(untilUsec: boundUsec) }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  private func receive(untilUsec boundUsec: Int64, orWritable: Bool = false) throws {
    let events = Int16(POLLIN) | (orWritable ? Int16(POLLOUT) : 0)
    var request = pollfd(fd: descriptor, events: events, revents: 0)
    let leftMsec = max(0, (boundUsec - Now.boottimeUsec) / 1000)
    let ready = poll(&request, 1, Int32(leftMsec))
    if ready < 0, errno == EINTR { return }
    guard ready > 0 else { throw Unmet(description: "the daemon has not answered in time") }
    guard request.revents & ~Int16(POLLOUT) != 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 256 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else {
      hasEnded = count == 0 || errno != EINTR
      return
    }
    buffer.withUnsafeBytes { frames.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    _ = frames.drain { frame in
      waiting.append(Array(frame))
      return true
    }
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

  /// Several calls as bytes, one after the other.
  static func bytes(_ calls: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for call in calls {
      bytes += call.utf8
      bytes.append(0)
    }
    return bytes
  }

  /// A call as text; a name without a dot is one of `org.nightjar.Timers`.
  static func text(_ method: String, _ parameters: String, _ flags: String = "") -> String {
    let full = method.contains(".") ? method : "org.nightjar.Timers.\(method)"
    return #"{"method":"\#(full)","parameters":\#(parameters)\#(flags)}"#
  }
}
