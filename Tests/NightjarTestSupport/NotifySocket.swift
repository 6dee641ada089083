import CLinux
import Foundation
import Glibc

/// A service manager's notification socket (sd_notify(3)) with the received notifications.
package final class NotifySocket {
  package let path: String
  package let notifications = Happenings<String>()
  private let socket: Int32

  package init(path: String) throws {
    self.path = path
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard nj_unix_bind(socket, path) == 0 else {
      throw Unmet(description: "cannot bind a socket to \(path)")
    }
    // A service that runs as another user must reach it, as it would reach the manager's.
    chmod(path, 0o666)
    receive()
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  /// Reads at once, because a full queue would block the service.
  private func receive() {
    let (socket, notifications) = (socket, notifications)
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        notifications.append(String(decoding: buffer[..<count], as: UTF8.self))
      }
      close(socket)
    }
  }
}
