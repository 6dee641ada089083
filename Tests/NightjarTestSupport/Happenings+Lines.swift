import Foundation
import Glibc

extension Happenings where Element == String {
  /// Reads the input from a descriptor until its end, on a thread of its own, and appends each
  /// line. At the end, the thread closes the descriptor.
  package func follow(_ descriptor: Int32) {
    let reader = Reader(descriptor)
    catchUp = { reader.awaitEmpty() }
    Thread.detachNewThread {
      var pending: [UInt8] = []
      while reader.read(into: &pending, { self.append($0) }) {}
      if !pending.isEmpty { self.append(String(decoding: pending, as: UTF8.self)) }
      self.end()
    }
  }
}

/// Reads a descriptor. It can find out whether everything that was written has been read.
private final class Reader: @unchecked Sendable {
  private let descriptor: Int32
  private let lock = NSLock()
  private var isOpen = true
  private var buffer = [UInt8](repeating: 0, count: 65536)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for more input, and calls `body` with each line that the input completes.
  ///
  /// - Returns: whether more input may follow.
  func read(into pending: inout [UInt8], _ body: (String) -> Void) -> Bool {
    var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&readable, 1, -1) > 0 else { return errno == EINTR }
    return lock.withLock {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else {
        if count < 0, errno == EINTR { return true }
        isOpen = false
        close(descriptor)
        return false
      }
      pending += buffer[..<count]
      var begin = 0
      while let end = pending[begin...].firstIndex(of: UInt8(ascii: "\n")) {
        body(String(decoding: pending[begin..<end], as: UTF8.self))
        begin = end + 1
      }
      pending.removeSubrange(..<begin)
      return true
    }
  }

  /// Waits until `body` has been called with everything that was written. It waits for at most ten
  /// seconds, because the writer may never stop.
  func awaitEmpty() {
    let bound = Date(timeIntervalSinceNow: 10)
    while Date() < bound {
      let isEmpty = lock.withLock {
        var waiting: Int32 = 0
        return !isOpen || ioctl(descriptor, UInt(FIONREAD), &waiting) != 0 || waiting == 0
      }
      if isEmpty { return }
      sched_yield()
    }
  }
}
