internal import CLinux
internal import Glibc
internal import NightjarSystem

/// The socket on which a service reports that it is ready (sd_notify(3)).
final class Notices {
  private let socket: Descriptor
  let path: String

  init(path: String) {
    self.path = path
    unlink(path)
    let raw = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard raw >= 0 else { fail("no socket") }
    socket = Descriptor(owning: raw)
    guard nj_unix_bind(raw, path) == 0 else { fail("\(path) cannot be bound") }
  }

  deinit { unlink(path) }

  /// Waits until the service reports that it is ready, at most one minute.
  ///
  /// - Returns: whether it is ready; also false if its process has ended.
  func awaitReady(of program: Running) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let end = Clock.nsec() + 60_000_000_000
    while Clock.nsec() < end, !program.hasEnded {
      var set = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
      guard poll(&set, 1, 100) > 0 else { continue }
      let count = recv(socket.raw, &bytes, bytes.count, 0)
      guard count > 0 else { continue }
      let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
      if lines.contains("READY=1") { return true }
    }
    return false
  }
}
