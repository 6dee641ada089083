// Made from org.nightjar.Timers.varlink by nightjar-generate. Do not edit.

internal import NightjarInterface
internal import Varlink

extension Shape.Structure {
  /// `Start`
  static let start = Shape.Structure(
    name: "Start",
    fields: [
      .init("name", .text),
      .init("duration_usec", .integer),
      .init("repeat", .structure(.`repeat`)),
      .init("alarm", .structure(.alarm)),
      .init("stopwatch", .bool),
      .init("sequence", .structure(.sequence)),
      .init("bands", .array(.structure(.band))),
      .init("late", .word(Wire.Late.allCases.map(\.rawValue))),
      .init("fire_within_usec", .integer),
      .init("missed", .word(Wire.Missed.allCases.map(\.rawValue))),
      .init("clock", .word(Wire.Clock.allCases.map(\.rawValue))),
      .init("replace", .bool),
      .init("if_absent", .bool),
      .init("labels", .map(.text)),
      .init("data", .object),
      .init("wake", .bool),
      .init("ring", .structure(.ring)),
      .init("message", .text),
    ])

  /// `Repeat`
  static let `repeat` = Shape.Structure(
    name: "Repeat",
    fields: [
      .init("rounds", .integer)
    ])

  /// `Alarm`
  static let alarm = Shape.Structure(
    name: "Alarm",
    fields: [
      .init("at_usec", .integer),
      .init("calendar", .text),
      .init("zone", .text),
      .init("rounds", .integer),
      .init("except", .array(.text)),
      .init("until", .text),
    ])

  /// `Sequence`
  static let sequence = Shape.Structure(
    name: "Sequence",
    fields: [
      .init("steps", .array(.structure(.step)), isRequired: true),
      .init("long_every", .integer),
      .init("rounds", .integer),
      .init("after_sleep", .word(Wire.AfterSleep.allCases.map(\.rawValue))),
    ])

  /// `Band`
  static let band = Shape.Structure(
    name: "Band",
    fields: [
      .init("name", .text, isRequired: true),
      .init("remaining_usec", .integer, isRequired: true),
      .init("color", .text),
      .init("text", .text),
      .init("progress", .structure(.progressRange)),
    ])

  /// `Ring`
  static let ring = Shape.Structure(
    name: "Ring",
    fields: [
      .init("exec", .array(.text)),
      .init("on", .array(.text)),
      .init("environment", .map(.text)),
      .init("timeout_usec", .integer),
      .init("sound", .text),
      .init("silent", .bool),
      .init("ring_for_usec", .integer),
      .init("volume", .integer),
      .init("rising_usec", .integer),
      .init("insist_usec", .integer),
      .init("disturb", .bool),
    ])

  /// `Step`
  static let step = Shape.Structure(
    name: "Step",
    fields: [
      .init("name", .text, isRequired: true),
      .init("duration_usec", .integer, isRequired: true),
      .init("waits", .bool),
      .init("break", .bool),
      .init("long_usec", .integer),
    ])

  /// `ProgressRange`
  static let progressRange = Shape.Structure(
    name: "ProgressRange",
    fields: [
      .init("from", .number, isRequired: true),
      .init("to", .number, isRequired: true),
    ])
}
