import CLinux
import Foundation
import Glibc

/// The notification socket of a service manager (sd_notify(3)). It collects the notifications that
/// it receives.
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
    // A service that runs as another user must be able to write to the socket, as it can to that of
    // the service manager.
    chmod(path, 0o666)
    receive()
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  package func awaitReady(of what: String = "READY=1", within seconds: Double) throws {
    try notifications.next(what, within: seconds) {
      $0.split(separator: "\n").contains("READY=1")
    }
  }

  /// Ends the waits for notifications when the service has ended.
  package func end(with process: ChildProcess) {
    let (notifications, changes) = (notifications, process.changes)
    Thread.detachNewThread {
      try? changes.awaitEnd("its end", within: 86_400)
      notifications.end()
    }
  }

  /// Reads each notification when it arrives, because a service that writes to a full queue would
  /// block.
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
