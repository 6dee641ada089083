internal import Glibc

/// A real mosquitto on a free port of this machine. It keeps nothing on disk.
struct Mosquitto {
  let folder = Folder()
  let port: Int
  /// The interval at which it publishes its counters, in seconds.
  static let countersSeconds = 1

  init() { port = Self.freePort() }

  func start() -> Server {
    let (config, socket) = ("\(folder.path)/mosquitto.conf", "\(folder.path)/socket")
    var lines = ["listener \(port) 127.0.0.1", "listener 0 \(socket)", "allow_anonymous true"]
    lines += ["persistence false", "sys_interval \(Self.countersSeconds)"]
    lines += ["log_dest stderr", "log_type error", "log_type warning"]
    // As root, mosquitto would otherwise change to a user who may not write here.
    if getuid() == 0 { lines.append("user root") }
    File.write(lines.joined(separator: "\n") + "\n", to: config)
    // The package mosquitto installs it in /usr/sbin, which is not in a user's PATH.
    return Server(
      ["/usr/sbin/mosquitto", "-c", config], socketPath: socket, in: folder, saysReady: false)
  }

  private static func freePort() -> Int {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isBound else { fail("no port is free") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
