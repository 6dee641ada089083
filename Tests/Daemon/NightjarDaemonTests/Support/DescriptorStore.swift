import CLinux
import Foundation
import Glibc
import NightjarTestSupport

/// A service manager that holds a service's descriptors while it is not running
/// (`FileDescriptorStoreMax=`).
final class DescriptorStore: @unchecked Sendable {
  let path: String
  let notifications = Happenings<String>()
  private let socket: Int32
  private let lock = NSLock()
  private var stored: [(name: String, descriptor: Int32)] = []

  /// - Parameter path: the socket for the service's notifications (sd_notify(3)).
  init(path: String) throws {
    self.path = path
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard nj_unix_bind(socket, path) == 0 else {
      throw Unmet(description: "cannot bind a socket to \(path)")
    }
    let socket = socket
    Thread.detachNewThread { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let (count, descriptor) = Self.receive(from: socket, into: &buffer)
        if count < 0, errno == EINTR { continue }
        guard count > 0, let self else { break }
        note(String(decoding: buffer[..<count], as: UTF8.self), descriptor)
      }
      close(socket)
    }
  }

  deinit {
    shutdown(socket, Int32(SHUT_RDWR))
    for (_, descriptor) in stored { close(descriptor) }
  }

  /// The held descriptors with their names, oldest first; the receiver closes them. Includes
  /// everything that services have sent so far, even if this manager has not read it yet.
  func take() throws -> [(name: String, descriptor: Int32)] {
    try awaitAllRead()
    return lock.withLock {
      defer { stored = [] }
      return stored
    }
  }

  /// Sends a message of the test and waits until it is read: messages keep their order (unix(7),
  /// SOCK_DGRAM).
  private func awaitAllRead() throws {
    let mark = "X_NIGHTJAR_TEST=1"
    var own = sockaddr_un()
    let sent = withUnsafeMutableBytes(of: &own) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { address in
        var length = socklen_t(bytes.count)
        guard getsockname(socket, address.baseAddress, &length) == 0 else { return -1 }
        return sendto(socket, mark, mark.utf8.count, 0, address.baseAddress, length)
      }
    }
    guard sent > 0 else { throw Unmet(description: "cannot write to \(path)") }
    try notifications.pick(mark, within: 90) { $0 == mark }
  }

  private func note(_ text: String, _ descriptor: Int32?) {
    let lines = text.split(separator: "\n")
    let name = lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? ""
    lock.withLock {
      if lines.contains("FDSTORE=1"), let descriptor {
        // Above the numbers under which a service gets them.
        stored.append((name, fcntl(descriptor, F_DUPFD_CLOEXEC, 1_000)))
      } else if lines.contains("FDSTOREREMOVE=1") {
        for (_, descriptor) in stored.filter({ $0.name == name }) { close(descriptor) }
        stored.removeAll { $0.name == name }
      }
    }
    if let descriptor { close(descriptor) }
    notifications.append(text)
  }

  /// Receives a message and its descriptor (unix(7), SCM_RIGHTS).
  private static func receive(
    from socket: Int32, into buffer: inout [UInt8]
  ) -> (count: Int, descriptor: Int32?) {
    // struct cmsghdr, cmsg(3): a length of eight bytes, a level and a type of four, and the data.
    var control = [UInt32](repeating: 0, count: 6)
    let count = buffer.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { control in
        var vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &vector) { vector in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (vector, 1)
          (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
          return recvmsg(socket, &message, Int32(MSG_CMSG_CLOEXEC))
        }
      }
    }
    let isDescriptor = control[0] >= 20 && control[2] == SOL_SOCKET && control[3] == 1
    return (count, isDescriptor ? Int32(bitPattern: control[4]) : nil)
  }
}

extension Rig {
  /// Starts a daemon that gets the descriptors its manager holds, from number 3 on; returns when it
  /// is ready.
  func resumedDaemon(
    by manager: DescriptorStore, _ stored: [(name: String, descriptor: Int32)],
    _ configure: (inout DaemonProcess.Options) -> Void = { _ in }
  ) throws -> DaemonProcess {
    defer { for (_, descriptor) in stored { close(descriptor) } }
    let daemon = try daemon(awaitingReady: false) { options in
      options.environment["NOTIFY_SOCKET"] = manager.path
      configure(&options)
      guard !stored.isEmpty else { return }
      // Only the process itself knows its process ID.
      options.wrapper = ["/bin/sh", "-c", "LISTEN_PID=$$ exec \"$0\" \"$@\""]
      options.environment["LISTEN_FDS"] = "\(stored.count)"
      options.environment["LISTEN_FDNAMES"] = stored.map(\.name).joined(separator: ":")
      for (index, entry) in stored.enumerated() {
        options.descriptors[Int32(3 + index)] = entry.descriptor
      }
    }
    try manager.notifications.next("READY=1", within: 90) { $0.contains("READY=1") }
    return daemon
  }
}
