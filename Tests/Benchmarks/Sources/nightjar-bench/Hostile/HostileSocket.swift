internal import Glibc
internal import Varlink

/// A connection of a hostile client: one that the daemon may close at any time.
final class HostileSocket {
  /// The result of a system call.
  enum Outcome: Equatable {
    /// This many bytes were sent or received.
    case moved(Int)
    /// The daemon has to do something first.
    case blocked
    /// The daemon has closed the connection.
    case closed
  }

  private let connection: VarlinkConnection

  /// Nil: too many connections wait for the daemon to accept them.
  init?(path: String) {
    do throws(ConnectFailure) {
      connection = try VarlinkConnection(path: path)
    } catch {
      guard error.code == EAGAIN else { fail("\(path): \(error)") }
      return nil
    }
  }

  /// Connects. If too many connections wait, retries every millisecond until the daemon has
  /// accepted some. Ends the program after 10,000 attempts.
  static func awaited(path: String) -> HostileSocket {
    for _ in 0..<10_000 {
      if let socket = HostileSocket(path: path) { return socket }
      poll(nil, 0, 1)
    }
    fail("the daemon does not accept a connection")
  }

  /// Sends as many bytes as the kernel accepts.
  func send(_ bytes: ArraySlice<UInt8>) -> Outcome {
    let count = bytes.withUnsafeBytes {
      Glibc.send(
        connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
    return outcome(of: count)
  }

  /// Receives the bytes that have arrived, into the beginning of `buffer`.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    let count = recv(connection.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    return count == 0 ? .closed : outcome(of: count)
  }

  private func outcome(of count: Int) -> Outcome {
    if count >= 0 { return .moved(count) }
    switch errno {
    case EAGAIN, EINTR: return .blocked
    case EPIPE, ECONNRESET: return .closed
    default: fail("a hostile client: \(String(cString: strerror(errno)))")
    }
  }
}

/// A buffer for received bytes that are ignored, or only searched for the ends of messages.
final class Scratch {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)

  deinit { bytes.deallocate() }

  /// How many messages end in the first `count` bytes.
  func frames(in count: Int) -> Int {
    bytes[..<count].reduce(0) { $0 + ($1 == 0 ? 1 : 0) }
  }
}

/// A call as a client sends it, with its NUL.
func frame(_ method: String, _ parameters: String = "{}", more: Bool = false) -> [UInt8] {
  Array(
    """
    {"method":"org.nightjar.Timers.\(method)","parameters":\(parameters)\(more ? #","more":true"# : "")}\0
    """.utf8)
}
