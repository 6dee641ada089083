import NightjarTestSupport
import Testing

@testable import nightjar

/// What a command says that waits for another machine.
@Suite struct ChangeQueueTests {
  @Test func `A machine that is away is said with its state, and since when`() {
    let now = Now.realtimeUsec
    func sentence(_ state: String, _ sinceUsec: Int64? = nil) -> String {
      ChangeQueue.sentence("laptop", state: state, sinceUsec: sinceUsec, now)
    }
    let point = LocalTime.short(now - second, nowUsec: now)
    #expect(sentence("asleep", now - second) == "laptop is asleep since \(point)")
    #expect(sentence("asleep") == "laptop is asleep")
    #expect(sentence("offline", now - second) == "laptop is offline, last connected \(point)")
    #expect(sentence("offline") == "laptop is offline")
    #expect(sentence("silent", now) == "laptop does not answer")
    #expect(sentence("online", now) == "laptop does not answer")
    #expect(sentence("unknown") == "laptop is not known at present")
  }

  @Test(arguments: ["start 1h", "pause tea", "rename tea cup"])
  func `A rehearsal and a live screen have no other machine to wait for`(line: String) throws {
    let words = "\(line) --queue".split(separator: " ").map(String.init)
    let error = #expect(throws: CommandError.self) { _ = try ScriptedCommand(words, at: .here) }
    #expect(error?.message == "a rehearsal asks no other machine: leave out --queue")
    let other = #expect(throws: CommandError.self) { _ = try StartLine.command("start 1h --queue") }
    #expect(other?.message == "--json, --socket and --queue have no place on the screen")
  }
}
