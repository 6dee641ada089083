internal import Glibc
internal import NightjarService
internal import NightjarVarlink

/// One client: what came in and is not read yet, what goes out and is not sent yet.
final class Connection {
  /// So many bytes may wait for it. Time is simulated here: a test reads what a day has brought when the
  /// day is over, and none of it, no tick either, is to be missing because a socket has less room.
  private static let limitBytes = 64 << 20
  private static let receiveBytes = 64 * 1024

  /// Tells it from another that has its descriptor later.
  let number: UInt64
  let descriptor: Int32
  var input = FrameBuffer()
  let outlet = Outlet(limitBytes: Connection.limitBytes, keepsTicks: true)
  /// A call that has more replies to come; calls behind it wait.
  var stream: (any ReplyStream)?
  /// The stream has more to write than it has been let.
  var hasMore = false
  /// The client broke the protocol, or is gone.
  var isBroken = false
  private var hasInputEnded = false

  /// Takes over a descriptor, which is closed with this.
  init(_ descriptor: Int32, number: UInt64) {
    self.descriptor = descriptor
    self.number = number
  }

  /// The other thread may be in poll(2) with it, which keeps it open behind close(2): what a client sent
  /// then would be taken, and lost. So its end comes first.
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

  /// What poll(2) is to look for.
  var awaited: Int32 {
    let reads = !hasInputEnded && input.pendingBytes <= WireLimits.frameBytes
    return (reads ? POLLIN : 0) | (outlet.isDrained ? 0 : POLLOUT)
  }

  /// Does what poll(2) has found: takes in what has come, notes an end.
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

  /// Sends what there is, as far as the kernel takes it.
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
