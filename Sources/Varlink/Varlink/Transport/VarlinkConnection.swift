internal import Glibc

/// One end of a connection over a UNIX stream socket, for a service or for a client.
///
/// It owns the descriptor, the received bytes that nobody has handled yet, and the bytes that wait
/// to be sent. It never blocks: `awaited` says for what its owner has to wait, with epoll(7),
/// poll(2) or another loop, and `advance` handles what the loop has found.
public final class VarlinkConnection {
  /// What a connection waits for, or what a loop has found.
  public struct Readiness: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// There is something to read, or the other end was closed.
    public static let readable = Readiness(rawValue: 1)
    /// There is room to write.
    public static let writable = Readiness(rawValue: 2)
    /// The connection has failed or ended. A loop always finds this.
    public static let closed = Readiness(rawValue: 4)
  }

  /// The most bytes that `receive` takes at once.
  private static let mostAtOnce = 64 * 1024

  /// The descriptor of the socket, for a loop. The connection closes it.
  public let descriptor: Int32
  /// The bytes that wait to be sent.
  public let outlet: Outlet
  /// The longest message that the other end may send, in bytes.
  private let frameBytes: Int
  /// The received bytes that were not handled.
  public var input: FrameBuffer

  // Exclusive access to these is not checked, because they are read for each call. Code of other
  // modules checks it all the same, so a service reads `hasFailed`.

  /// How many bytes were sent so far.
  @exclusivity(unchecked) public private(set) var sentBytes = 0
  /// Whether the other end will send no more.
  @exclusivity(unchecked) public private(set) var hasInputEnded = false
  /// Whether the other end will read no more. It may have sent messages before.
  @exclusivity(unchecked) public private(set) var hasOutputEnded = false
  /// Whether the connection has failed, or the other end broke the protocol. Nothing is received
  /// any more.
  @exclusivity(unchecked) public var isBroken = false

  /// Whether the connection has failed, or the other end will read no more.
  public var hasFailed: Bool { isBroken || hasOutputEnded }

  /// Takes over the descriptor of a connected socket.
  ///
  /// - Parameter frameBytes: the longest message that the other end may send, without its NUL.
  public init(
    owning descriptor: Int32, frameBytes: Int = WireLimits.frameBytes, outlet: Outlet = Outlet()
  ) {
    self.descriptor = descriptor
    self.frameBytes = frameBytes
    self.outlet = outlet
    input = FrameBuffer(limit: frameBytes)
  }

  deinit { close(descriptor) }

  /// What the connection waits for. While the other end does not read its output, nothing more is
  /// read from it.
  public var awaited: Readiness {
    var awaited: Readiness = outlet.hasSendable && !hasOutputEnded ? .writable : []
    if !hasInputEnded, outlet.hasRoom, input.pendingBytes <= frameBytes {
      awaited.insert(.readable)
    }
    return awaited
  }

  /// Handles what a loop has found: sends output, receives input, or notes the end.
  public func advance(_ found: Readiness) {
    if found.contains(.writable) { flush() }
    if found.contains(.readable) {
      receive()
    } else if found.contains(.closed) {
      // Read to the end first: the other end may have closed after a message that wants no reply.
      isBroken = true
    }
  }

  /// Receives what has arrived into `input`, at most 64 KiB.
  ///
  /// - Returns: whether anything had arrived.
  @discardableResult
  public func receive() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.mostAtOnce, alignment: 16) { buffer in
      let chunk = receive(into: buffer)
      input.append(chunk)
      return !chunk.isEmpty
    }
  }

  /// Receives what has arrived into the memory of the caller, who handles it or appends it to
  /// `input`.
  ///
  /// - Returns: the received bytes; none if nothing has arrived or the other end sends no more.
  public func receive(into buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
    while !isBroken {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
      }
      if count == 0 {
        hasInputEnded = true
      } else if errno == EINTR {
        continue
      } else if errno != EAGAIN {
        isBroken = true
      }
      break
    }
    return UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Sends the output up to the first gate, as far as the kernel accepts it.
  public func flush() {
    let end = outlet.sendableEnd
    while outlet.sent < end, !hasOutputEnded {
      let count = outlet.output.withUnsafeBytes { bytes in
        send(
          descriptor, bytes.baseAddress! + outlet.sent, end - outlet.sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        outlet.sent += count
        sentBytes += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        hasOutputEnded = true
      }
    }
    outlet.forgetSent()
  }
}

// MARK: - Messages

extension VarlinkConnection {
  /// The process at the other end; nil if unknown.
  public var peer: PeerCredentials? { PeerCredentials(socket: descriptor) }

  /// Writes a call to the output.
  public func write(
    _ method: String, _ parameters: JSONValue? = nil, more: Bool = false
  ) {
    VarlinkCall.write(
      method: method, parameters: parameters, more: more, into: &outlet.output)
  }

  /// The next reply that has arrived; nil if none has arrived.
  public func nextReply() throws(VarlinkProtocolError) -> VarlinkReply? {
    var reply: VarlinkReply?
    let outcome = try input.drain { (frame) throws(VarlinkProtocolError) in
      reply = try VarlinkReply.parse(frame)
      return false
    }
    guard outcome != .frameTooLong else { throw .tooLong(bytes: frameBytes) }
    return reply
  }

  /// The bytes of the next message that has arrived, without its NUL; nil if none has arrived. A
  /// message that is too long breaks the connection, because Varlink has no error reply for it.
  public func nextFrame() -> [UInt8]? {
    var frame: [UInt8]?
    let outcome = input.drain { bytes in
      frame = Array(bytes)
      return false
    }
    if outcome == .frameTooLong { isBroken = true }
    return frame
  }
}
