import NightjarInterface
import NightjarModel
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink
import VarlinkGenerator

@testable import NightjarParameters

/// The limits of what a start may say.
@Suite struct StartLimitTests {
  private static let interface = Result { try Interface(parsing: TimersInterface.description) }

  private static func fields(of name: String) throws -> [Field] {
    switch try interface.get().declaration(of: name)?.kind {
    case .method(let fields, _), .type(.structure(let fields)):
      return fields.filter { !["undo_id", "if_seq", "request"].contains($0.name) }
    default: throw Unmet(description: "there is no \(name)")
    }
  }

  /// Parameters of `Start` in which one number is changed: a name for the change, and the
  /// parameters.
  private static func changes(
    to number: JSONValue, in json: JSONValue, as type: TypeExpression, called name: String
  ) throws -> [(name: String, json: JSONValue)] {
    switch type {
    case .int, .float: return [(name, number)]
    case .optional(let wrapped):
      return try changes(to: number, in: json, as: wrapped, called: name)
    case .array(let element):
      let inner = json.arrayValue?.first ?? .object([])
      return try changes(to: number, in: inner, as: element, called: name).map {
        ($0.name, .array([$0.json]))
      }
    case .structure(let fields): return try changes(to: number, in: json, as: fields, called: name)
    case .named(let type):
      guard case .type(let type)? = try interface.get().declaration(of: type)?.kind else {
        return []
      }
      return try changes(to: number, in: json, as: type, called: name)
    case .bool, .string, .object, .enumeration, .map, .set: return []
    }
  }

  private static func changes(
    to number: JSONValue, in json: JSONValue, as fields: [Field], called name: String
  ) throws -> [(name: String, json: JSONValue)] {
    try fields.flatMap { field in
      try changes(
        to: number, in: json[field.name] ?? .object([]), as: field.type,
        called: "\(name).\(field.name)"
      ).map { ($0.name, setting(field.name, $0.json, in: json)) }
    }
  }

  private static func setting(_ key: String, _ value: JSONValue, in json: JSONValue) -> JSONValue {
    .object((json.objectValue ?? []).filter { $0.key != key } + [.init(key, value)])
  }

  private static let kinds = ["duration_usec", "alarm", "stopwatch", "sequence"]

  @Test func `Every number of a start has limits`() throws {
    let steps: JSONValue = [["name": "a", "duration_usec": 1_000_000, "long_usec": 1_000_000]]
    let bands: JSONValue = [
      ["name": "a", "remaining_usec": 1_000_000, "progress": ["from": 0, "to": 1]]
    ]
    let starts: [JSONValue] = [
      ["duration_usec": 60_000_000, "bands": bands, "repeat": [:], "ring": ["exec": ["ls"]]],
      ["alarm": ["calendar": "daily"]],
      ["sequence": ["steps": steps, "long_every": 2]],
    ]
    // An instant that is past, or too far in the future, is refused when the alarm is started.
    let unlimited: Set = ["Start.alarm.at_usec"]
    for start in starts {
      for number: JSONValue in [-1, .integer(.max)] {
        let changes = try Self.changes(
          to: number, in: start, as: Self.fields(of: "Start"), called: "Start")
        for (name, json) in changes where !unlimited.contains(name) {
          // The fields of another kind conflict with those of this kind.
          let kind = Self.kinds.first { start[$0] != nil } ?? ""
          if Self.kinds.contains(where: { $0 != kind && json[$0] != nil }) { continue }
          let isRefused: Bool
          do throws(TimersError) {
            isRefused =
              try TimerSpec(
                startParameters: json, calendar: ZoneCalendar(local: .utc), defaults: SpecDefaults()
              ).problem != nil
          } catch { isRefused = true }
          #expect(isRefused, "\(name) may be \(number.text)")
        }
      }
    }
  }
}
