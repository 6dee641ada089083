internal import Glibc
internal import NightjarService
internal import NightjarVarlink

/// One client: its unread input and its unsent output.
final class Connection {
  /// The most unsent bytes. Time is simulated: a test may read the events of a whole day at its
  /// end, and no event or tick may be missing because the socket has less room.
  private static let limitBytes = 64 << 20
  private static let receiveBytes = 64 * 1024

  /// Distinguishes the connection from a later one with the same descriptor.
  let number: UInt64
  let descriptor: Int32
  var input = FrameBuffer()
  let outlet = Outlet(limitBytes: Connection.limitBytes, keepsTicks: true)
  /// A call that has more replies to come; calls behind it wait.
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

  /// Shuts down before closing: the other thread may be in poll(2) with the descriptor, which keeps
  /// the socket open after close(2), and then a client's message would be accepted and lost.
  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  /// Whether the next call may be answered.
  var canAnswer: Bool { !isBroken && stream == nil && outlet.hasRoom }

  /// Whether there is nothing left to do for it.
  var isOver: Bool {
    isBroken || hasInputEnded && outlet.isDrained && stream == nil
  }

  /// The events that poll(2) is to wait for.
  var awaited: Int32 {
    let reads = !hasInputEnded && input.pendingBytes <= WireLimits.frameBytes
    return (reads ? POLLIN : 0) | (outlet.isDrained ? 0 : POLLOUT)
  }

  /// Handles the events that poll(2) has found: reads input, notes the end.
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
