import Foundation
import Testing

@testable import VarlinkGenerator

/// Compares today's interface with that of commit 5ae14e9, which clients and daemons still use.
@Suite struct FrozenInterfaceTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func frozen() throws -> String {
    try text("Tests/Compatibility/5ae14e9/org.nightjar.Timers.varlink")
  }

  /// Fields of errors that 5ae14e9 did not have; NightjarClientTests show that the client does not
  /// need them.
  private static let newInErrors: Set<String> = ["StorageFailed.in_doubt"]

  /// Words that clients of 5ae14e9 do not know but may receive. A daemon sends `present` only for a
  /// timer that a client started on that clock, and NightjarClient of 5ae14e9 accepts unknown
  /// clocks.
  private static let newWords: Set<String> = [
    "Clock has the new word present, which old clients do not know",
    // A snooze is a fact of every timer, so it is Timer.snoozed now.
    "Repetition.snoozed is gone",
  ]

  private static func breaks(from old: String, to new: String) throws -> [String] {
    let names = try ValueNames(parsing: text("Sources/NightjarInterface/client-values"))
    return InterfaceComparison(
      from: try Interface(parsing: old), to: try Interface(parsing: new)
    ) { declaration, field in
      let properties = names.structures.first { $0.source == declaration }?.properties
      guard let property = properties?[field] else {
        return !newInErrors.contains("\(declaration).\(field)")
      }
      return !property.isOptional && property.defaultValue == nil && !property.isLeftOut
    }.breaks
  }

  @Test func `Clients and daemons of 5ae14e9 work with today's interface`() throws {
    let today = try Self.text("Sources/NightjarInterface/org.nightjar.Timers.varlink")
    let breaks = try Self.breaks(from: Self.frozen(), to: today)
    #expect(Set(breaks) == Self.newWords)
  }

  @Test func `The frozen interface is that of 5ae14e9, byte for byte`() throws {
    // FNV-1a; the text of the commit, and a line feed.
    let hash = try Self.frozen().utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    #expect(hash == 0xc9c1_bcb1_d8dc_d385)
  }

  @Test(arguments: [
    ("method Lap(name: string) -> (timer: Timer)", "", ["method Lap is gone"]),
    ("error EventsPruned (oldest: int)", "", ["error EventsPruned is gone"]),
    ("method Get(name: string)", "method Get()", ["Get(name) is gone"]),
    (
      "method Get(name: string)", "method Get(title: string)",
      ["Get(name) is gone", "Get(title) is new and required"]
    ),
    ("(timer: Timer, created: bool)", "(timer: Timer)", ["Start -> created is gone"]),
    (
      "(timer: Timer, created: bool)", "(timer: Timer, created: ?bool)",
      ["Start -> created has become optional"]
    ),
    ("  fired_ago_usec: ?int,\n", "", ["Timer.fired_ago_usec is gone"]),
    ("  calendar: ?string,\n", "  schedule: ?string,\n", ["Timer.calendar is gone"]),
    ("  id: int,\n", "  id: string,\n", ["Timer.id was int and is string"]),
    ("  laps: ?[]int,\n", "  laps: ?[]float,\n", ["Timer.laps[] was int and is float"]),
    ("  steps: ?[]Step,\n", "  steps: ?[]Band,\n", ["Timer.steps[] was Step and is Band"]),
    (
      "  labels: [string]string,\n  data: object\n", "  labels: []string,\n  data: object\n",
      ["Timer.labels was [string]string and is []string"]
    ),
    (
      "method Start(\n  name: ?string", "method Start(\n  name: string",
      ["Start(name) has become required"]
    ),
    (
      "method Lap(name: string)", "method Lap(name: string, at_usec: int)",
      ["Lap(at_usec) is new and required"]
    ),
    (
      "type ProgressRange (from: float", "type ProgressRange (step: float, from: float",
      ["ProgressRange.step is new and required"]
    ),
    (
      "method Get(name: string) -> (timer", "method Get(name: string) -> (a: int, timer",
      ["Get -> a is new, and today's client needs it"]
    ),
    (
      "  reason: ?string,\n  state_directory", "  reason: string,\n  state_directory",
      ["Storage.reason has become required, and today's client needs it"]
    ),
    (
      "type State (running", "type State (asleep, running",
      ["State has the new word asleep, which old clients do not know"]
    ),
    ("type Late (fire, skip)", "type Late (fire)", ["Late has lost the word skip"]),
    (
      "type Missed (once, each, skip)", "type Missed (last, each, skip)",
      [
        "Missed has lost the word once",
        "Missed has the new word last, which old clients do not know",
      ]
    ),
    (
      "type Commands (running: int, waiting: int)", "type Queue (running: int, waiting: int)",
      ["type Commands is gone", "Status -> commands was Commands and is Queue"]
    ),
    (
      "error LimitExceeded (limit: string, value: int)",
      "error LimitExceeded (limit: string, value: float)",
      ["LimitExceeded.value was int and is float"]
    ),
    (
      "error NeverElapses (name: string)", "type NeverElapses (name: string)",
      ["error NeverElapses is gone"]
    ),
  ])
  func `Each way to break the interface is reported by name`(
    part: String, replacement: String, expected: [String]
  ) throws {
    let frozen = try Self.frozen()
    try #require(frozen.ranges(of: part).count == 1, "\(part)")
    var edited = frozen.replacing(part, with: replacement)
    if expected.contains(where: { $0.hasSuffix("and is Queue") }) {
      edited = edited.replacing(": Commands,", with: ": Queue,")
    }
    let breaks = try Self.breaks(from: frozen, to: edited)
    #expect(breaks == expected)
  }

  @Test(arguments: [
    ("method Get(", "method Count() -> (count: int)\n\nmethod Get("),
    ("error EventsPruned ", "error Busy ()\n\nerror EventsPruned "),
    ("method Lap(name: string)", "method Lap(name: string, at_usec: ?int)"),
    ("method Lap(name: string)", "method Lap(name: ?string)"),
    ("(timer: Timer, created: bool)", "(timer: Timer, created: bool, at_usec: ?int)"),
    ("type Counts (", "type Counts (\n  asleep: ?int,"),
  ])
  func `Additions that old programs ignore are allowed`(part: String, replacement: String)
    throws
  {
    let frozen = try Self.frozen()
    try #require(frozen.ranges(of: part).count == 1, "\(part)")
    let edited = frozen.replacing(part, with: replacement)
    let breaks = try Self.breaks(from: frozen, to: edited)
    #expect(breaks == [])
  }
}
