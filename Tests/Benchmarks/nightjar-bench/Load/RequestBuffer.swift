internal import Glibc

/// A buffer of fixed size, for bytes to send or for received bytes. Bytes are appended at its end
/// and taken from its beginning.
struct RequestBuffer: ~Copyable {
  static let capacity = 256 * 1024
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
  private(set) var start = 0
  private(set) var end = 0

  deinit { bytes.deallocate() }

  var isEmpty: Bool { start == end }
  var room: Int { Self.capacity - end }
  var pending: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<end]) }

  mutating func append(_ text: StaticString) {
    memcpy(bytes.baseAddress! + end, text.utf8Start, text.utf8CodeUnitCount)
    end += text.utf8CodeUnitCount
  }

  /// Appends a number with leading zeros, `Name.digits` wide.
  mutating func append(number: Int) {
    Name.write(number, to: bytes.baseAddress! + end)
    end += Name.digits
  }

  /// Removes `count` bytes from the beginning.
  mutating func take(_ count: Int) {
    start += count
    if start == end { (start, end) = (0, 0) }
  }

  /// Moves the pending bytes to the beginning of the memory.
  mutating func compact() {
    guard start > 0 else { return }
    memmove(bytes.baseAddress!, bytes.baseAddress! + start, end - start)
    (start, end) = (0, end - start)
  }

  /// Reads the bytes that have arrived. Returns false if there are none. Ends the program at the
  /// end of the stream, because no measurement can continue without its server.
  mutating func receive(from socket: Int32) -> Bool {
    compact()
    let count = recv(socket, bytes.baseAddress! + end, room, Int32(MSG_DONTWAIT))
    if count > 0 {
      end += count
      return true
    }
    guard count < 0, errno == EAGAIN || errno == EINTR else { fail("a server has hung up") }
    return false
  }

  /// Sends as many bytes as the kernel accepts.
  mutating func send(to socket: Int32) {
    while !isEmpty {
      let count = Glibc.send(
        socket, bytes.baseAddress! + start, end - start, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      guard count > 0 else {
        guard errno == EAGAIN || errno == EINTR else { fail("a request could not be sent") }
        return
      }
      take(count)
    }
  }
}

/// The names of timers and keys, such as `bench/0000012345`: 16 bytes each.
enum Name {
  static let digits = 10
  static let prefix: StaticString = "bench/"
  static let byteCount = prefix.utf8CodeUnitCount + digits

  static func text(_ number: Int) -> String {
    let digits = String(number)
    return "\(prefix)" + String(repeating: "0", count: Self.digits - digits.utf8.count) + digits
  }

  static func write(_ number: Int, to bytes: UnsafeMutableRawPointer) {
    var rest = UInt32(truncatingIfNeeded: number)
    for place in stride(from: digits - 1, through: 0, by: -1) {
      bytes.storeBytes(
        of: UInt8(ascii: "0") + UInt8(rest % 10), toByteOffset: place, as: UInt8.self)
      rest /= 10
    }
  }

  /// Whether `bytes` begins with the digits of `number`.
  static func stands(_ number: Int, at bytes: UnsafeRawPointer) -> Bool {
    var rest = UInt32(truncatingIfNeeded: number)
    for place in stride(from: digits - 1, through: 0, by: -1) {
      guard
        bytes.load(fromByteOffset: place, as: UInt8.self) == UInt8(ascii: "0") + UInt8(rest % 10)
      else { return false }
      rest /= 10
    }
    return true
  }
}
