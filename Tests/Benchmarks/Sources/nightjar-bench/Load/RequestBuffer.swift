internal import Glibc

/// Bytes on their way out, or come in: a stretch of memory of its own, filled at its end and taken
/// from its beginning.
struct RequestBuffer: ~Copyable {
  static let capacity = 256 * 1024
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
  private(set) var start = 0
  private(set) var end = 0

  deinit { bytes.deallocate() }

  var isEmpty: Bool { start == end }
  var room: Int { Self.capacity - end }
  var pending: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<end]) }

  /// Appends a text that does not change.
  mutating func append(_ text: StaticString) {
    memcpy(bytes.baseAddress! + end, text.utf8Start, text.utf8CodeUnitCount)
    end += text.utf8CodeUnitCount
  }

  /// Appends a number with zeros in front of it, `Name.digits` wide.
  mutating func append(number: Int) {
    Name.write(number, to: bytes.baseAddress! + end)
    end += Name.digits
  }

  /// Appends a number as people write it.
  mutating func append(digits number: Int) {
    for digit in String(number).utf8 {
      bytes[end] = digit
      end += 1
    }
  }

  /// `count` bytes from the beginning are done with.
  mutating func take(_ count: Int) {
    start += count
    if start == end { (start, end) = (0, 0) }
  }

  /// Moves what is pending to the beginning of the memory.
  mutating func compact() {
    guard start > 0 else { return }
    memmove(bytes.baseAddress!, bytes.baseAddress! + start, end - start)
    (start, end) = (0, end - start)
  }

  /// Reads what has come. False: nothing has; at the end of the stream it ends the program, as no
  /// measurement goes on without its server.
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

  /// Sends what the kernel takes.
  mutating func send(to socket: Int32) {
    while !isEmpty {
      let count = Glibc.send(
        socket, bytes.baseAddress! + start, end - start, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      guard count > 0 else {
        guard errno == EAGAIN || errno == EINTR else { fail("a server takes nothing more") }
        return
      }
      take(count)
    }
  }
}

/// `bench/0000012345`: what timers and keys are called, 16 bytes.
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

  /// Whether the digits of `number` are there.
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

/// Ends the program with a sentence.
func fail(_ sentence: String) -> Never {
  let line = Array("nightjar-bench: \(sentence)\n".utf8)
  _ = write(2, line, line.count)
  exit(1)
}
