import Foundation
import NightjarEngine
import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarTestSupport
import Testing
import Varlink
import VarlinkGenerator

/// Everything that must exist for each kind of event in the service, and that no compiler checks.
@Suite struct EventFieldTests {
  private static func json(_ event: Event) -> [JSONValue.Member] {
    JSONValue.event(event).objectValue ?? []
  }

  @Test func `Each kind of event has a sample, which all tests of events use`() {
    let (words, sampled) = (
      Set(Wire.EventType.allCases.map(\.rawValue)), Set(EventSamples.kinds.map { "\($0.name)" })
    )
    #expect(sampled.subtracting(words) == [])
    #expect(words.subtracting(sampled) == [], "add them to EventSamples.kinds")
  }

  @Test func `Events have the fields that the interface declares, and each field is used`() throws {
    let declared = Set(try TimersInterface.fields(of: "Event").map(\.name))
    var written: Set<String> = []
    for event in EventSamples.events {
      let names = Self.json(event).map(\.key)
      #expect(Set(names).count == names.count, "\(event.typeName) has a field twice")
      #expect(Set(names).subtracting(declared) == [], "\(event.typeName)")
      written.formUnion(names)
    }
    #expect(declared.subtracting(written) == [], "no event has them")
  }

  @Test func `Each kind of event is sent as it was recorded, byte for byte`() throws {
    var sent: Set<String> = []
    for event in EventSamples.events {
      // The same number and time for all, so that a new sample changes no other line.
      let alike = Event(
        seq: 9, timeUsec: 8, counters: Counters(elapsedUsec: 7, awakeUsec: 6),
        subject: event.subject.map { _ in .init(slot: 5, id: 4, name: "run/mäte", previous: 3) },
        sums: event.sums.map { _ in .init(countedUsec: 7, pausedUsec: 6) }, kind: event.kind)
      sent.insert(String(decoding: Wire.Event(alike).json, as: UTF8.self))
    }
    let recorded = try Documentation.text(of: "Tests/Samples/events.jsonl").split(separator: "\n")
    #expect(recorded.count > 100)
    for line in recorded { #expect(sent.contains(String(line)), "no event is sent as \(line)") }
  }

  @Test func `Each number, text and flag of an event is a variable of a command, by its name`() {
    for event in EventSamples.events {
      let environment = ActionEnvironment(
        event, engine: Engine(), socketPath: "/s", at: EventSamples.moment)
      for field in Self.json(event) {
        let name = field.key == "type" ? "EVENT" : field.key.uppercased()
        let value: String
        switch field.value {
        case .string(let text): value = text
        case .integer(let number): value = "\(number)"
        case .bool: value = "1"
        case .double, .object, .array, .null: continue
        }
        let found = environment.variables.filter { $0.name == "NIGHTJAR_\(name)" }
        #expect(found.map(\.value) == [value], "\(event.typeName): \(name)")
      }
    }
  }
}

extension TimersInterface {
  static let parsed = Result { try Interface(parsing: description) }

  /// The fields of a structure, or of a method's reply.
  static func fields(of name: String) throws -> [Field] {
    switch try parsed.get().declaration(of: name)?.kind {
    case .type(.structure(let fields)), .method(_, let fields): fields
    default: []
    }
  }

  /// The parameters of a method, without those that each change has.
  static func parameters(of name: String) throws -> [String] {
    guard case .method(let fields, _) = try parsed.get().declaration(of: name)?.kind else {
      throw Unmet(description: "there is no \(name)")
    }
    return fields.map(\.name).filter { !["name", "undo_id", "if_seq", "request"].contains($0) }
  }
}
