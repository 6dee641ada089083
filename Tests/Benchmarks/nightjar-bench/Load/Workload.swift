internal import Glibc

/// A kind of request that a generator repeats, and the check of its reply.
protocol Workload {
  /// The longest request, in bytes.
  static var longestRequest: Int { get }
  /// Appends the request about a number.
  func ask(_ number: Int, in output: inout RequestBuffer)
  /// The length of the reply at the beginning of `bytes`; 0: the reply is not complete yet. Ends
  /// the program if it is not the right reply about `number`.
  func replyLength(_ bytes: UnsafeRawBufferPointer, about number: Int) -> Int
}

// MARK: - Nightjar

/// Whether a reply is a running countdown whose name has this number.
private func isTimer(_ frame: UnsafeRawBufferPointer, _ number: Int) -> Bool {
  let numbers: [StaticString] = [#"{"parameters":{"timer":{"id":"#, #","seq":"#]
  let middle: StaticString = #","name":"bench/"#
  let tail: StaticString = #"","kind":"countdown","state":"running","#
  guard frame.count > 120, let start = frame.baseAddress else { return false }
  var place = 0
  for text in numbers {
    guard memcmp(start + place, text.utf8Start, text.utf8CodeUnitCount) == 0 else { return false }
    place += text.utf8CodeUnitCount
    while frame[place] &- UInt8(ascii: "0") < 10 { place += 1 }
  }
  guard memcmp(start + place, middle.utf8Start, middle.utf8CodeUnitCount) == 0 else { return false }
  place += middle.utf8CodeUnitCount
  return Name.stands(number, at: start + place)
    && memcmp(start + place + Name.digits, tail.utf8Start, tail.utf8CodeUnitCount) == 0
}

/// `Get` of a timer.
struct GetWorkload: Workload {
  static let longestRequest = 128

  func ask(_ number: Int, in output: inout RequestBuffer) {
    output.append(#"{"method":"org.nightjar.Timers.Get","parameters":{"name":"bench/"#)
    output.append(number: number)
    output.append("\"}}\0")
  }

  func replyLength(_ bytes: UnsafeRawBufferPointer, about number: Int) -> Int {
    guard let start = bytes.baseAddress, let end = memchr(start, 0, bytes.count) else { return 0 }
    // The frame with its NUL byte.
    let frame = UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start + 1)
    guard isTimer(frame, number) else { fail("a wrong reply: \(text(frame))") }
    return frame.count
  }
}

/// `Start` of a timer, which replaces an existing timer of this name. The daemon answers when the
/// timer is on disk.
struct StartWorkload: Workload {
  static let longestRequest = 256

  func ask(_ number: Int, in output: inout RequestBuffer) {
    output.append(#"{"method":"org.nightjar.Timers.Start","parameters":{"name":"bench/"#)
    output.append(number: number)
    output.append("\",\"duration_usec\":36000000000,\"replace\":true}}\0")
  }

  func replyLength(_ bytes: UnsafeRawBufferPointer, about number: Int) -> Int {
    GetWorkload().replyLength(bytes, about: number)
  }
}

// MARK: - redis

/// `GET` of a key.
struct RedisGetWorkload: Workload {
  static let longestRequest = 64

  func ask(_ number: Int, in output: inout RequestBuffer) {
    output.append("*2\r\n$3\r\nGET\r\n$16\r\nbench/")
    output.append(number: number)
    output.append("\r\n")
  }

  func replyLength(_ bytes: UnsafeRawBufferPointer, about number: Int) -> Int {
    let head: StaticString = "$105\r\n"
    let length = head.utf8CodeUnitCount + RedisSetWorkload.valueBytes + 2
    guard bytes.count >= length, let start = bytes.baseAddress else { return 0 }
    guard memcmp(start, head.utf8Start, head.utf8CodeUnitCount) == 0,
      Name.stands(number, at: start + head.utf8CodeUnitCount)
    else { fail("a wrong reply: \(text(bytes))") }
    return length
  }
}

/// `SET` of a key. The value is as long as a small record: the number's digits, and other bytes
/// after them.
struct RedisSetWorkload: Workload {
  static let longestRequest = 256
  static let valueBytes = 105
  private static let filling: StaticString =
    "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiiijjjjj"
  /// Whether the key expires, after ten hours.
  var expires = false

  func ask(_ number: Int, in output: inout RequestBuffer) {
    output.append(expires ? "*5\r\n$3\r\nSET\r\n$16\r\nbench/" : "*3\r\n$3\r\nSET\r\n$16\r\nbench/")
    output.append(number: number)
    output.append("\r\n$105\r\n")
    output.append(number: number)
    output.append(Self.filling)
    output.append(expires ? "\r\n$2\r\nEX\r\n$5\r\n36000\r\n" : "\r\n")
  }

  func replyLength(_ bytes: UnsafeRawBufferPointer, about number: Int) -> Int {
    guard bytes.count >= 5 else { return 0 }
    guard memcmp(bytes.baseAddress!, "+OK\r\n", 5) == 0 else {
      fail("a wrong reply: \(text(bytes))")
    }
    return 5
  }
}

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  String(decoding: bytes.prefix(300), as: UTF8.self)
}
