import Foundation
import Glibc

extension Happenings where Element == String {
  /// Takes what comes from a descriptor apart into lines, on a thread of its own, until its end; closes it
  /// then.
  package func follow(_ descriptor: Int32) {
    Thread.detachNewThread {
      var pending: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        pending += buffer[..<count]
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
          self.append(String(decoding: pending[..<end], as: UTF8.self))
          pending.removeSubrange(...end)
        }
      }
      if !pending.isEmpty { self.append(String(decoding: pending, as: UTF8.self)) }
      close(descriptor)
      self.end()
    }
  }
}
