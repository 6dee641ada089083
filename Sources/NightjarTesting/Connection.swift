internal import Glibc
internal import NightjarService
internal import NightjarVarlink

/// One client: its unread input and its unsent output.
final class Connection {
  /// The most unsent bytes, far more than a socket's buffer. A test may let a whole simulated day
  /// pass before it reads the events, and no event or tick may be missing then.
  private static let limitBytes = 64 << 20
  private static let receiveBytes = 64 * 1024

  /// Distinguishes the connection from a later one with the same descriptor.
  let number: UInt64
  let descriptor: Int32
  var input = FrameBuffer()
  let outlet = Outlet(limitBytes: Connection.limitBytes, keepsTicks: true)
  /// The stream of a call that has not sent its last reply; later calls wait.
  var stream: (any ReplyStream)?
  /// Whether the stream has more to write than there was room for.
  var hasMore = false
  /// The client broke the protocol, or is gone.
  var isBroken = false
  private var hasInputEnded = false

  /// Takes over a descriptor and closes it at the end.
  init(_ descriptor: Int32, number: UInt64) {
    self.descriptor = descriptor
    self.number = number
  }

  /// Shuts the socket down before closing it. The other thread may be in poll(2) with the
  /// descriptor, which keeps the socket open after close(2). A message of a client would then be
  /// accepted and lost.
  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  /// Whether the next call may be answered.
  var canAnswer: Bool { !isBroken && stream == nil && outlet.hasRoom }

  /// Whether the connection can be closed.
  var isOver: Bool {
    isBroken || hasInputEnded && outlet.isDrained && stream == nil
  }

  /// The events that poll(2) is to wait for.
  var awaited: Int32 {
    let reads = !hasInputEnded && input.pendingBytes <= WireLimits.frameBytes
    return (reads ? POLLIN : 0) | (outlet.isDrained ? 0 : POLLOUT)
  }

  /// Handles the events that poll(2) has found: reads input, and notes the end of the connection.
  func take(_ found: Int32) {
    if found & POLLIN != 0 {
      receive()
    } else if found & (POLLHUP | POLLERR | POLLNVAL) != 0 {
      isBroken = true
    }
  }

  private func receive() {
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.receiveBytes, alignment: 1)
    defer { chunk.deallocate() }
    let count = recv(descriptor, chunk.baseAddress, chunk.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      input.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
    } else if count == 0 {
      hasInputEnded = true
    } else if errno != EAGAIN, errno != EINTR {
      isBroken = true
    }
  }

  /// Sends the output, as far as the kernel accepts it.
  func send() {
    while !outlet.isDrained, !isBroken {
      let count = outlet.output[outlet.sent...].withUnsafeBytes { bytes in
        Glibc.send(
          descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        outlet.sent += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        isBroken = true
      }
    }
    _ = outlet.forgetSent()
  }
}
