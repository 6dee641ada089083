import Glibc
import NightjarEngine
import NightjarModel
import NightjarTestSupport
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

/// Runs iterations for a moment, and checks that nothing wakes the loop but the time limit's own
/// timer. Earlier work must be done.
func expectNoWakeUps(
  _ loop: EventLoop, during body: () throws -> Void = {},
  at location: SourceLocation = #_sourceLocation
) throws {
  try run(loop, seconds: 0.1)
  var iterations = 0
  loop.onIterationBegin = { _ in iterations += 1 }
  try body()
  try run(loop, seconds: 0.2)
  loop.onIterationBegin = { _ in }
  #expect(iterations == 1, sourceLocation: location)
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

extension NotifySocket {
  /// The next datagram.
  func next() throws -> String { try notifications.next("a datagram") }
}
