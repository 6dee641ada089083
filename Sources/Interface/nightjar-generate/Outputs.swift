import Foundation
import VarlinkGenerator

/// The generated files that only Nightjar has, with parts of its manual pages. The list `outputs`
/// beside the interface has those that varlink-swift writes for any program.
struct Outputs {
  /// The folder of the repository.
  let root: URL

  private static let interface = "Sources/Interface/NightjarInterface/org.nightjar.Timers.varlink"

  /// These enumerations are written by hand: their cases have payloads, or raw values that are
  /// stored.
  private static let words = WordNamesWriter(
    sets: [
      WordSet(typeName: "TimerKind", enumerations: ["Kind"]),
      WordSet(typeName: "TimerState", enumerations: ["State"]),
      WordSet(typeName: "Timeline", enumerations: ["Clock"]),
      WordSet(typeName: "MissedPolicy", enumerations: ["Missed"]),
      WordSet(typeName: "AfterSpan", enumerations: ["AfterSpan"]),
      WordSet(typeName: "Cause", enumerations: ["SpanCause"]),
      WordSet(typeName: "LateCause", enumerations: ["SpanCause", "LateCause"]),
      WordSet(typeName: "ActionOutcome", enumerations: ["Outcome"]),
      WordSet(typeName: "Operation", enumerations: ["Operation"]),
      WordSet(typeName: "WakeObstacle", enumerations: ["WakeObstacle"]),
      WordSet(typeName: "RingLack", enumerations: ["RingLack"]),
      WordSet(
        typeName: "Event.Kind", enumerations: ["TimerEvent", "MachineEvent", "ActionEvent"]),
    ],
    caseNames: [
      "did_enter_background": "enteredBackground", "will_enter_foreground": "leftBackground",
    ],
    access: .public)

  /// The pages with parts that the interface says.
  private static let pages = ["org.nightjar.Timers.7", "nightjar-hooks.5"]

  /// The pages with options that are written on the page of start.
  private static let sharing = [
    "nightjar-alarm.1", "nightjar-sequence.1", "nightjar-stopwatch.1", "nightjar-edit.1",
  ]

  func texts() throws -> [(file: URL, text: String)] {
    let interface = try Interface(parsing: text(of: Self.interface))
    let source = root.appending(path: Self.interface).lastPathComponent
    var texts = [
      (
        "Sources/Core/NightjarModel/Generated/WordNames.swift",
        try Self.words.source(of: interface, madeFrom: source)
      )
    ]
    for page in Self.pages.map({ "Sources/Manual/\($0)" }) {
      texts.append((page, try ManualWriter(page: text(of: page)).source(of: interface)))
    }
    let shared = SharedText(of: try text(of: "Sources/Manual/nightjar-start.1"))
    for page in Self.sharing.map({ "Sources/Manual/\($0)" }) {
      texts.append((page, try shared.copied(to: text(of: page))))
    }
    return texts.map { (root.appending(path: $0.0), $0.1) }
  }

  private func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
