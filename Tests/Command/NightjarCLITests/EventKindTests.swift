import NightjarClient
import NightjarInterface
import NightjarModel
import NightjarService
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// What the command must know of each kind of event. EventFieldTests check the daemon.
@Suite struct EventKindTests {
  /// Each has a sentence of its own, or its word is used as one.
  private static let wordIsSentence: Set<Wire.EventType> = [
    .resumed, .restarted, .cancelled, .dismissed, .removed,
  ]

  @Test func `A client reads each kind, its sentence, whether it ends a timer or rings`() throws {
    for event in EventSamples.events {
      let read = try Wire.Event(JSONValue.event(event))
      #expect(read.seq == event.seq && read.type.rawValue == "\(event.typeName)")
      #expect(read.isTheEnd == event.leavesName, "\(event.typeName)")
      #expect(TerminalRing.isHeard(read) == event.isHeard, "\(event.typeName)")
      let word = read.type.rawValue.replacing("_", with: " ")
      #expect(
        EventText(read).sentence != word || Self.wordIsSentence.contains(read.type),
        "EventText has nothing about \(read.type)")
    }
  }
}
