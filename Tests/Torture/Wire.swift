import CLinux
import Glibc
import NightjarClient
import NightjarTestSupport
import Varlink

/// A connection that sends many calls at once and takes their replies one by one, so that each
/// reply which came before the end of the daemon counts.
final class Wire {
  private static let timeoutMsec: Int32 = 20_000

  private let descriptor: Int32
  private var frames = FrameBuffer(limit: 64 * 1024 * 1024)
  private var waiting: [VarlinkReply] = []
  private var taken = 0

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let code = nj_unix_connect(descriptor, path)
    guard code == 0 else {
      // All it has is set by now, so its end closes the descriptor, this time too.
      throw Unmet(description: "connect to \(path): \(String(cString: strerror(-code)))")
    }
  }

  deinit { close(descriptor) }

  /// Sends calls. What a daemon that has ended does not take is not sent.
  func send(_ calls: [Call]) {
    var bytes: [UInt8] = []
    for call in calls {
      VarlinkCall.write(method: call.method, parameters: call.parameters, into: &bytes)
    }
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// The next reply; nil once the daemon has ended.
  ///
  /// - Throws: `Unmet` if it neither answers nor ends.
  func reply() throws -> VarlinkReply? {
    while taken == waiting.count {
      (waiting, taken) = ([], 0)
      guard try receive() else { return nil }
    }
    taken += 1
    return waiting[taken - 1]
  }

  /// Takes what has come; false at the end.
  private func receive() throws -> Bool {
    var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(&readable, 1, Self.timeoutMsec)
    if ready < 0, errno == EINTR { return true }
    guard ready > 0 else { throw Unmet(description: "the daemon does not answer") }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, errno == EINTR { return true }
    guard count > 0 else { return false }
    buffer.withUnsafeBytes { frames.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    _ = try frames.drain { frame in
      waiting.append(try VarlinkReply.parse(frame))
      return true
    }
    return true
  }
}
