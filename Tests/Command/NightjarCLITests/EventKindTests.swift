import Foundation
import NightjarClient
import NightjarInterface
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import Testing
import Varlink
import VarlinkGenerator

@testable import nightjar

/// Everything that must exist for each kind of event, and that no compiler checks.
@Suite(.blocking) struct EventKindTests {
  private static let words = Wire.EventType.allCases.map(\.rawValue)

  private static func json(_ event: NightjarModel.Event) -> [JSONValue.Member] {
    JSONValue.event(event).objectValue ?? []
  }

  /// The fields of an event in the interface.
  static func fields() throws -> [Field] {
    let interface = try Interface(parsing: TimersInterface.description)
    guard case .type(.structure(let fields))? = interface.declaration(of: "Event")?.kind else {
      return []
    }
    return fields
  }

  /// A command's environment variables if the event's timer no longer exists.
  static func variables(of event: NightjarModel.Event) throws -> [String: String] {
    let machine = SimulatedMachine()
    try machine.boot()
    defer { machine.crash() }
    let engine = try #require(machine.core).engine
    let environment = ActionEnvironment(
      event, engine: engine, socketPath: "/s", at: EventSamples.moment)
    let pairs = environment.variables.map { ($0.name, $0.value) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  @Test func `Each kind of event has a sample, which all tests of events use`() {
    let sampled = Set(EventSamples.kinds.map { "\($0.name)" })
    #expect(sampled.subtracting(Self.words) == [])
    #expect(Set(Self.words).subtracting(sampled) == [], "add them to EventSamples.kinds")
  }

  @Test func `Events have the fields that the interface declares, and each field is used`() throws {
    let declared = Set(try Self.fields().map(\.name))
    var written: Set<String> = []
    for event in EventSamples.events {
      let names = Self.json(event).map(\.key)
      #expect(Set(names).count == names.count, "\(event.typeName) has a field twice")
      #expect(Set(names).subtracting(declared) == [], "\(event.typeName)")
      written.formUnion(names)
    }
    #expect(declared.subtracting(written) == [], "no event has them")
  }

  /// Sample events as they were sent when they were recorded, one per line.
  private static let recorded = URL(filePath: Documentation.root)
    .appending(path: "Tests/Samples/events.jsonl")

  @Test func `Each kind of event is sent as it was recorded, byte for byte`() throws {
    var sent: Set<String> = []
    for event in EventSamples.events {
      // The same number and time for all, so that a new sample changes no other line.
      let alike = NightjarModel.Event(
        seq: 9, timeUsec: 8, counters: Counters(elapsedUsec: 7, awakeUsec: 6),
        subject: event.subject.map { _ in .init(slot: 5, id: 4, name: "run/mäte", previous: 3) },
        sums: event.sums.map { _ in .init(countedUsec: 7, pausedUsec: 6) }, kind: event.kind)
      sent.insert(String(decoding: Wire.Event(alike).json, as: UTF8.self))
    }
    let recorded = try String(contentsOf: Self.recorded, encoding: .utf8).split(separator: "\n")
    #expect(recorded.count > 100)
    for line in recorded { #expect(sent.contains(String(line)), "no event is sent as \(line)") }
  }

  @Test func `The terminal rings for each event from which a ring sounds`() throws {
    for event in EventSamples.events {
      let read = try Wire.Event(JSONValue.event(event))
      #expect(TerminalRing.isHeard(read) == event.isHeard, "\(event.typeName)")
    }
  }

  @Test func `Each number, text and flag of an event is a variable of a command, by its name`()
    throws
  {
    for event in EventSamples.events {
      let variables = try Self.variables(of: event)
      for field in Self.json(event) {
        let name = field.key == "type" ? "EVENT" : field.key.uppercased()
        let value: String
        switch field.value {
        case .string(let text): value = text
        case .integer(let number): value = "\(number)"
        case .bool: value = "1"
        case .double, .object, .array, .null: continue
        }
        #expect(variables["NIGHTJAR_\(name)"] == value, "\(event.typeName): \(name)")
      }
    }
  }

  @Test func `A client reads each kind of event, and recognizes those that end a timer`() throws {
    for event in EventSamples.events {
      let read = try Wire.Event(JSONValue.event(event))
      #expect(read.seq == event.seq && read.type.rawValue == "\(event.typeName)")
      #expect(read.isTheEnd == event.leavesName, "\(event.typeName)")
    }
  }

  @Test func `Each kind of event has its own sentence, or its word is used as one`() throws {
    let isOneByItself: Set<Wire.EventType> = [
      .resumed, .restarted, .cancelled, .dismissed, .removed,
    ]
    for event in EventSamples.events {
      let read = try Wire.Event(JSONValue.event(event))
      let word = read.type.rawValue.split(separator: "_").joined(separator: " ")
      #expect(
        EventText(read).sentence != word || isOneByItself.contains(read.type),
        "EventText has nothing about \(read.type)")
    }
  }
}
