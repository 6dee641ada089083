import Foundation
import Glibc

/// Finds ports on 127.0.0.1 for servers that cannot let the kernel choose a port.
package enum FreePort {
  /// A port without a listener, chosen by the kernel.
  ///
  /// The port stays bound until the process of the tests ends, so that the kernel gives it to
  /// nobody else. A server with SO_REUSEADDR, as mosquitto and Python set it, can listen on it.
  package static func find() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Unmet(description: "socket: \(errno)") }
    var isReused: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
      }
    }
    guard code == 0 else {
      let reason = errno
      close(descriptor)
      throw Unmet(description: "no port is free: \(reason)")
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
