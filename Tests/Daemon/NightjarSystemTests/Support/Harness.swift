import Glibc
import NightjarEngine
import NightjarModel
import NightjarTrust
import Testing

@testable import NightjarSystem

/// Runs iterations until a condition holds; false if it does not within a time limit.
func pump(
  _ loop: EventLoop, within seconds: Double = 20, until condition: () -> Bool
) throws -> Bool {
  var expired = false
  let bound = try loop.timer(on: .monotonic) { expired = true }
  bound.arm(atUsec: Clocks.read().monotonicUsec + Int64(seconds * 1_000_000))
  while !condition() {
    if expired { return false }
    try loop.runIteration()
  }
  return true
}

/// Runs iterations for a time, for a test which shows that nothing happens meanwhile.
func run(_ loop: EventLoop, seconds: Double) throws {
  _ = try pump(loop, within: seconds) { false }
}

/// This process's descriptors of one file, from /proc/self/fd. Counting all descriptors would not
/// do: other tests and the runtime open some at any time.
func descriptors(openOn path: String) -> Set<Int32> {
  var result: Set<Int32> = []
  for name in FolderListing.names(in: "/proc/self/fd") ?? [] {
    var target = [CChar](repeating: 0, count: 4097)
    guard let number = Int32(name), readlink("/proc/self/fd/\(name)", &target, 4096) > 0 else {
      continue
    }
    let text = target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    if String(decoding: text, as: UTF8.self) == path { result.insert(number) }
  }
  return result
}

/// A socket in the file system that receives datagrams, as a service manager's and journald's do.
final class DatagramReceiver {
  private let socket: Descriptor

  init(path: String) throws {
    let raw = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    socket = Descriptor(owning: raw)
    try #require(unixBind(raw, path) == 0)
  }

  /// The next datagram; nil if there is none.
  func receive() -> String? {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = recv(socket.raw, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
