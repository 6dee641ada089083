import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing

@testable import nightjar

/// The messages of a command that waits for another machine.
@Suite struct ChangeQueueTests {
  @Test func `An absent machine is reported with its state, and since when`() {
    let now = Now.realtimeUsec
    func sentence(_ state: String, _ sinceUsec: Int64? = nil) -> String {
      CommandError.away("laptop", state, sinceUsec: sinceUsec, nowUsec: now)
    }
    let point = LocalTime.short(now - second, nowUsec: now)
    for state in ["asleep", "offline"] {
      #expect(sentence(state, now - second) == "laptop is \(state) since \(point)")
      #expect(sentence(state) == "laptop is \(state)")
    }
    #expect(sentence("silent", now) == "laptop did not answer in time")
    #expect(sentence("dreaming", now) == "laptop cannot be reached")
    #expect(sentence("unknown") == "the broker knows no machine called 'laptop'")
  }

  @Test func `Each state has a sentence of its own, and the library says the same`() {
    let states = Wire.AwayState.allCases.map(\.rawValue)
    let sentences = states.map { CommandError.away("laptop", $0, sinceUsec: nil) }
    #expect(Set(sentences + ["laptop cannot be reached"]).count == states.count + 1)
    for (state, sentence) in zip(states, sentences) {
      let error = TimersError.ownerAway(
        device: "laptop", state: state, sinceUsec: 7, inDoubt: false)
      #expect(error.description == sentence)
    }
  }

  @Test(arguments: ["start 1h", "pause tea", "rename tea cup"])
  func `A rehearsal and a live screen have no other machine to wait for`(line: String) throws {
    let words = "\(line) --queue".split(separator: " ").map(String.init)
    let error = #expect(throws: CommandError.self) { _ = try ScriptedCommand(words, at: .here) }
    #expect(error?.message.description == "a rehearsal asks no other machine: leave out --queue")
    let other = #expect(throws: CommandError.self) { _ = try StartLine.command("start 1h --queue") }
    let sentence = "the screen does not accept --json, --socket and --queue; leave them out"
    #expect(other?.message.description == sentence)
  }
}
