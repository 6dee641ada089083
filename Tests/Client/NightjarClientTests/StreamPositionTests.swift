import Testing
import Varlink

@testable import NightjarClient

/// Where a stream continues, and how soon it tries to reach a daemon that has gone.
@Suite struct StreamPositionTests {
  @Test
  func `The pauses between attempts double from 20 ms to half a second, and grow no further`() {
    var pauses: [Int64] = []
    var schedule = RetrySchedule(isBounded: false)
    for _ in 0..<8 {
      schedule.advance()
      pauses.append(schedule.pauseMsec)
    }
    #expect(pauses == [20, 40, 80, 160, 320, 500, 500, 500])
  }

  @Test func `A stream continues after the last event that it read, in the ledger of that event`() {
    var position = StreamPosition(
      Call(method: "org.nightjar.Timers.Events", parameters: ["after": 3]))
    #expect(position.continuation.parameters == ["after": 3])
    position.note(["event": ["seq": 7], "ledger": "a"])
    #expect(position.continuation.parameters == ["after": 7, "ledger": "a"])
  }

  @Test func `A watch has no number before the end of the initial states`() {
    let call = Call(method: "org.nightjar.Timers.Watch", parameters: ["prefix": "run"])
    var position = StreamPosition(call)
    position.note(["timer": ["name": "run/1"], "event": ["seq": 9]])
    #expect(position.lastSeq == nil)
    #expect(position.continuation == call)
    position.note(["synced": true, "seq": 11, "ledger": "a"])
    #expect(position.continuation.parameters == ["prefix": "run", "after": 11, "ledger": "a"])
  }
}
