import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// How soon a change is visible on another machine.
@Suite(.blocking, .timed) struct BridgeDelayTests {
  /// A kernel with nothing to send delays acknowledgements by this time, and a broker with Nagle's
  /// algorithm waits for them.
  private static let acknowledgementUsec = 40 * millisecond

  @Test func `Over TCP a change reaches another machine before a delayed acknowledgement`()
    async throws
  {
    let rig = try BridgeRig(isTCP: true)
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let client = try laptop.daemon.connect()
    try client.start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    let stream = try desktop.connect(to: "laptop").stream(.watch(name: "tea"))
    let issue = try await BareTimer.issue { bare in
      var delays: [Int64] = []
      // The kernel acknowledges the first packets immediately.
      for number in 1...60 {
        let operation: Call = .perform(number % 2 == 1 ? .pause : .resume, name: "tea")
        _ = try client.timer(operation)
        let madeUsec = Now.boottimeUsec
        _ = try stream.event { $0.type == (number % 2 == 1 ? .paused : .resumed) }
        delays.append(Now.boottimeUsec - madeUsec)
      }
      let last = delays.suffix(21).sorted()
      print("a change over TCP: \(last[10]) µs in the middle, \(last[20]) µs at most")
      let boundUsec = Self.acknowledgementUsec / 2 + bare.lateUsec(0.5)
      return [excess("a change over TCP", last[10], over: boundUsec)].compactMap(\.self)
    }
    #expect(issue == nil)
  }
}
