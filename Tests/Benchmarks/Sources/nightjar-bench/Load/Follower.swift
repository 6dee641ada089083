internal import Glibc
internal import Varlink

/// A client that watches one timer, at a daemon or at a bridge.
final class Follower {
  private let connection: VarlinkConnection
  /// How many replies have arrived since the timer's first state.
  private(set) var count = 0
  private(set) var last = ""

  /// Connects, and waits until the server has sent the timer as it is now.
  init(_ path: String, watches name: String) {
    do {
      connection = try VarlinkConnection(path: path)
    } catch { fail("\(path): \(error)") }
    connection.write("org.nightjar.Timers.Watch", ["name": .string(name)], more: true)
    connection.flushAll()
    while !last.contains(#""synced":true"#) {
      wait(msec: 10_000)
      read()
    }
    count = 0
  }

  var descriptor: Int32 { connection.descriptor }

  /// Waits until something has arrived. Ends the program after `msec`.
  func wait(msec: Int32) {
    guard !Poll.wait(for: [(descriptor, .readable)], msec: msec)[0].isEmpty else {
      fail("a watcher received nothing within \(msec) ms")
    }
  }

  func read() {
    while connection.receive() {
      while let frame = connection.nextFrame() {
        last = String(decoding: frame, as: UTF8.self)
        count += 1
      }
    }
  }
}
