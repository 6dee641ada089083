import Glibc
import NightjarClient

/// Receives a daemon's message that it is ready: the receiving end of sd_notify(3).
struct ReadinessSocket: ~Copyable {
  enum Outcome { case ready, exited, timedOut }

  /// The value of NOTIFY_SOCKET. It is in the abstract namespace, so no file remains.
  let address: String
  private let descriptor: Int32

  init() throws(CommandError) {
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0, let name = Self.bindToFreeName(descriptor) else {
      if descriptor >= 0 { close(descriptor) }
      throw CommandError(.noDaemon, "cannot make the socket that a daemon reports its readiness to")
    }
    address = "@\(name)"
  }

  deinit { close(descriptor) }

  /// Waits until `READY=1` arrives, the process that should send it ends, or the deadline passes.
  func wait(for process: ChildProcess, until deadline: Deadline) -> Outcome {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      // A process that ends makes no descriptor readable, so each poll is short, and the process is
      // checked after it.
      if poll(&request, 1, 20) > 0, receivedReady() { return .ready }
      if process.exitCode() != nil { return receivedReady() ? .ready : .exited }
      if deadline.hasPassed { return .timedOut }
    }
  }

  private func receivedReady() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return false }
      let lines = buffer[..<count].split(separator: UInt8(ascii: "\n"))
      if lines.contains(where: { $0.elementsEqual("READY=1".utf8) }) { return true }
    }
  }

  /// Binds to a name that the kernel chooses ("Autobind feature" of unix(7)), and returns it
  /// without its leading NUL.
  private static func bindToFreeName(_ descriptor: Int32) -> String? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size)) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    let nameOffset = MemoryLayout<sa_family_t>.size + 1
    guard isBound, Int(length) > nameOffset else { return nil }
    return withUnsafeBytes(of: &address) {
      String(decoding: $0[nameOffset..<Int(length)], as: UTF8.self)
    }
  }
}
