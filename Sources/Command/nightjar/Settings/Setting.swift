import NightjarClient
import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarTime
import Varlink

/// A thing that a timer can be told, beside its name and its time. The options, the keys of a
/// preset, `edit`, `--without`, and the list of what a replacement drops come from these lines.
struct Setting: Sendable {
  /// The key of a preset, such as `ring_for`.
  let key: String
  /// The option, without its dashes, such as `ring-for`.
  let option: String
  /// Another option with the same meaning; nil: there is none.
  let otherOption: String?
  /// The place of the value in the parameters of `Start`.
  let path: [String]
  let notation: Notation
  let valueName: String
  let help: String
  /// Whether the setting can be changed while there is the timer.
  let isChangeable: Bool
  /// What a setting of a ring is about, such as `length`, and the words of a value, such as `for 2
  /// min`, for `show` and `why`; nil: they show it in another way.
  let shown: (about: String, words: @Sendable (JSONValue) -> String)?

  private init(
    _ key: String, option: String? = nil, or otherOption: String? = nil, at path: String...,
    as notation: Notation,
    _ valueName: String = "", isChangeable: Bool = true, help: String,
    shown: (about: String, words: @Sendable (JSONValue) -> String)? = nil
  ) {
    (self.key, self.path, self.notation) = (key, path, notation)
    self.option = option ?? key.replacing("_", with: "-")
    self.otherOption = otherOption
    (self.valueName, self.isChangeable, self.help) = (valueName, isChangeable, help)
    self.shown = shown
  }
}

// MARK: - The table

extension Setting {
  static let all: [Setting] = [
    .labels, .data, .message, .bands, .late, .missed, .wake, .clock, .zone, .except, .exceptFile,
    .until, .exec, .shell, .execOn, .execTimeout, .env, .sound, .silent, .ringFor, .volume,
    .rising, .insist, .disturb,
  ]

  static let changeable = all.filter(\.isChangeable)

  static let labels = Setting(
    "labels", option: "label", at: "labels", as: .labels, "key=value",
    help: "A label; may be given several times.")
  static let data = Setting(
    "data", at: "data", as: .json, "json",
    help: "A JSON object that the daemon stores with the timer, for your own use.")
  static let message = Setting(
    "message", at: "message", as: .text, "text",
    help: "One line of text to show when the timer rings: in the notification, in list and in "
      + "status bars.")
  static let bands = Setting(
    "bands", option: "band", or: "warn", at: "bands", as: .bands, "span[=name,...]",
    help: "Show a popup when SPAN is left: 5min. With a name, only give that name to the part of "
      + "the timer in which at most SPAN remains: 5min=warn. Commas separate several bands: "
      + "60s=warn,10s=urgent. A band can also have a colour, a range of the progress and a text "
      + "for a popup: 10s=urgent:red:0.9..1:Hurry.")
  static let late = Setting(
    "late", at: "late", as: .late, "policy", isChangeable: false,
    help: "What the timer does if it expires in the background, for example in sleep: fire (ring), "
      + "skip (do not ring), or a time span (ring if it is at most that late).")
  static let missed = Setting(
    "missed", at: "missed",
    as: .words([
      "once": "ring once, and count the other expiries", "each": "ring for each expiry",
      "skip": "do not ring",
    ]), "policy", isChangeable: false,
    help: "What the timer does if it expires several times in the background")
  static let wake = Setting(
    "wake", at: "wake", as: .flag, isChangeable: false,
    help: "Wake the machine if it sleeps when the timer expires.")
  static let clock = Setting(
    "clock", at: "clock",
    as: .words([
      "elapsed": "real time", "awake": "without sleep",
      "wall": "the calendar; not for a stopwatch",
      "present": "without sleep, and only while the session is in use",
    ]), "clock", isChangeable: false, help: "The time that the timer counts")
  static let zone = Setting(
    "zone", at: "alarm", "zone", as: .text, "zone", isChangeable: false,
    help: "The time zone, such as Europe/Berlin.")
  static let except = Setting(
    "except", at: "alarm", "except", as: .days, "days",
    help: "Days on which the alarm does not ring: 2026-12-24, 24.12.2026..1.1.2027. Separate "
      + "several with commas, or repeat the option.")
  static let exceptFile = Setting(
    "except_file", at: "alarm", "except", as: .dayFiles, "file",
    help: "A file of such days: one date or range on a line, or the all-day events of an iCalendar "
      + "file.")
  static let until = Setting(
    "until", at: "alarm", "until", as: .lastDay, "day",
    help: "The last day on which the alarm rings.")
  static let exec = Setting(
    "exec", at: "ring", "exec", as: .command, "command",
    help: "Run a command when the timer rings. COMMAND is one argument, which is split into words "
      + "without a shell. The variables NIGHTJAR_NAME, NIGHTJAR_EVENT and others describe the "
      + "event to the command.")
  static let shell = Setting(
    "shell", at: "ring", "exec", as: .shell, "command",
    help: "Run a command with /bin/sh when the timer rings.")
  static let execOn = Setting(
    "exec_on", at: "ring", "on", as: .events, "event,...",
    help: "Run the command on these events instead of rang: band_crossed, paused, cancelled, ...")
  static let execTimeout = Setting(
    "exec_timeout", at: "ring", "timeout_usec",
    as: .span(1...Limits.execLongestUsec, orZero: false), "span",
    help: "How long the command may run. By default a minute.")
  static let env = Setting(
    "env", at: "ring", "environment", as: .variables, "key[=value]",
    help: "An environment variable for the command. Without VALUE, the variable keeps the value "
      + "that it has now. May be given several times.")
  static let sound = Setting(
    "sound", at: "ring", "sound", as: .sound, "sound",
    help: "The sound: a file, or one of the built-in sounds chime, marimba and pulse.")
  static let silent = Setting(
    "silent", at: "ring", "silent", as: .flag, help: "Make no sound.")
  static let ringFor = Setting(
    "ring_for", at: "ring", "ring_for_usec", as: .span(0...Limits.ringUsec), "span",
    help: "How long the timer rings if the user does not answer. By default 10 minutes for an "
      + "alarm, and a minute for other timers. 0 plays the sound once.",
    shown: ("length", { $0.integerValue == 0 ? "one sound" : "for \(span($0))" }))
  static let volume = Setting(
    "volume", at: "ring", "volume", as: .percentage, "n",
    help: "The volume of the sound in per cent, \(Limits.volumeWords).",
    shown: ("volume", { "volume \($0.text)" }))
  static let rising = Setting(
    "rising", at: "ring", "rising_usec", as: .span(0...Limits.ringUsec), "span",
    help: "How long the sound takes to rise from quiet to that volume. By default 20 s.",
    shown: ("rising", { $0.integerValue == 0 ? "not rising" : "rising for \(span($0))" }))
  static let insist = Setting(
    "insist", at: "ring", "insist_usec", as: .span(0...Limits.insistUsec.upperBound), "span",
    help: "If the user does not answer a ring, ring again this long after its end, at most "
      + "\(Limits.ringsOfExpiry - 1) times.",
    shown: (
      "ringing again",
      { $0.integerValue == 0 ? "not again" : "again \(span($0)) after an unanswered ring" }
    ))
  static let disturb = Setting(
    "disturb", at: "ring", "disturb", as: .yesNo,
    help: "Whether to play the sound while the notification server is paused (do not disturb).",
    shown: (
      "disturbing",
      { $0.boolValue == true ? "disturbs always" : "silent while notifications are paused" }
    ))

  private static func span(_ value: JSONValue) -> String {
    SpanFormat.text(usec: value.integerValue ?? 0)
  }

  /// How a timer rings by its own settings: what each is about, and its words.
  static func ways(of ring: Wire.RingState) -> [(about: String, words: String)] {
    let ring = JSONValue(ring)
    return all.compactMap { setting in
      guard let shown = setting.shown, let value = setting.path.last.flatMap({ ring[$0] }) else {
        return nil
      }
      return (shown.about, shown.words(value))
    }
  }
}

extension Setting {
  /// The place of one of its values: a time span of `late` has a field of its own.
  func place(of value: JSONValue) -> [String] {
    notation == .late && value.integerValue != nil ? ["fire_within_usec"] : path
  }

  /// The value in the parameters of `Start`; nil: there is none.
  func value(in start: JSONValue) -> JSONValue? {
    let value = path.reduce(Optional(start)) { $0?[$1] }
    if notation == .late, value == nil { return start["fire_within_usec"] }
    // One place has both notations of a command.
    guard path.last == "exec", let words = value?.strings else {
      return value == false ? nil : value
    }
    return (ShellLine(words) != nil) == (notation == .shell) ? value : nil
  }

  /// The setting of a key, in which dashes may stand for underscores.
  static func named(_ key: String) -> Setting? {
    let spelled = key.replacing("-", with: "_")
    return all.first { $0.key == spelled || $0.option == key || $0.otherOption == key }
  }

  /// The setting to which a parameter that the daemon refuses belongs.
  static func of(parameter: String) -> Setting? {
    all.first { $0.path.last == parameter || $0.key == parameter }
      ?? (parameter == "fire_within_usec" ? .late : nil)
  }

  /// Two settings of which a timer has one.
  private static let alternatives = [("sound", "silent"), ("exec", "shell")]

  /// The setting that this one replaces.
  var replaced: Setting? {
    Self.alternatives.lazy.compactMap { first, second in
      key == first ? second : key == second ? first : nil
    }.first.flatMap(Self.named)
  }
}

// MARK: - Values of several settings

/// Values of settings, as the user gave them in options or in a preset.
struct SettingValues {
  private(set) var values: [(setting: Setting, value: JSONValue)] = []

  var isEmpty: Bool { values.isEmpty }

  func has(_ setting: Setting) -> Bool { values.contains { $0.setting.key == setting.key } }

  /// Adds a value. Days of files are added to other days.
  mutating func set(_ value: JSONValue, for setting: Setting) {
    if let index = values.firstIndex(where: {
      $0.setting.path == setting.path && $0.setting.notation.isDays
    }) {
      values[index].value = .strings(values[index].value.strings + value.strings)
    } else {
      values.append((setting, value))
    }
  }

  /// The parameters of `Start` with these values. Labels and variables are added to those that are
  /// there; any other value replaces the present one.
  func applied(to start: JSONValue) -> JSONValue {
    values.reduce(start) { start, entry in
      var start = start
      if let other = entry.setting.replaced { start = start.removing(other.path) }
      if entry.setting.notation == .late {
        start = start.removing(["late"]).removing(["fire_within_usec"])
      }
      let path = entry.setting.place(of: entry.value)
      let present = path.reduce(Optional(start)) { $0?[$1] }
      let value = entry.setting.notation.merged(entry.value, over: present)
      return start.setting(path, value)
    }
  }
}

extension JSONValue {
  static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

  /// Whether a member is present and not false. A member that is false excludes no other.
  func says(_ member: String) -> Bool {
    guard let value = self[member] else { return false }
    return value != false
  }

  /// The same object with another value of a member, in its position or at the end.
  func setting(_ key: String, _ value: JSONValue) -> JSONValue {
    var members = objectValue ?? []
    if let index = members.lastIndex(where: { $0.key == key }) {
      members[index].value = value
    } else {
      members.append(.init(key, value))
    }
    return .object(members)
  }

  /// The same object with another value of a nested member.
  func setting(_ path: [String], _ value: JSONValue) -> JSONValue {
    guard let key = path.first else { return value }
    return setting(key, (self[key] ?? .object([])).setting(Array(path.dropFirst()), value))
  }

  /// The same object without a nested member.
  func removing(_ path: [String]) -> JSONValue {
    guard let key = path.first, let inner = self[key] else { return self }
    guard path.count > 1 else { return .object((objectValue ?? []).filter { $0.key != key }) }
    return setting(key, inner.removing(Array(path.dropFirst())))
  }
}
