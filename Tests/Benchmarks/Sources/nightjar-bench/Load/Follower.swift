internal import Glibc
internal import NightjarSystem

/// A client that watches one timer, at a daemon or at a bridge.
final class Follower {
  private let socket: Descriptor
  private var input = RequestBuffer()
  /// How many replies have arrived since the timer's first state.
  private(set) var count = 0
  private(set) var last = ""

  /// Connects, and waits until the server has sent the timer as it is now.
  init(_ path: String, watches name: String) {
    do {
      socket = try UnixSocket.connect(path: path)
    } catch { fail("\(error)") }
    let text =
      #"{"method":"org.nightjar.Timers.Watch","parameters":{"name":"\#(name)"},"more":true}"#
    let call = Array(text.utf8) + [0]
    guard Glibc.send(socket.raw, call, call.count, Int32(MSG_NOSIGNAL)) == call.count else {
      fail("a call could not be sent to \(path)")
    }
    while !last.contains(#""synced":true"#) {
      wait(msec: 10_000)
      read()
    }
    count = 0
  }

  var descriptor: Int32 { socket.raw }

  /// Waits until something has arrived. Ends the program after `msec`.
  func wait(msec: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, msec) > 0 else { fail("a watcher received nothing within \(msec) ms") }
  }

  /// Reads the replies that have arrived.
  func read() {
    while input.receive(from: socket.raw) {
      while case let length = frameLength(input.pending), length > 0 {
        last = String(
          decoding: UnsafeRawBufferPointer(rebasing: input.pending[..<(length - 1)]), as: UTF8.self)
        count += 1
        input.take(length)
      }
    }
  }
}
