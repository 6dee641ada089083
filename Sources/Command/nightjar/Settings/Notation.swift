import Glibc
import NightjarClient
import NightjarConfig
import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarTime
import Varlink

/// How the value of a setting is written, in an option and in a file.
enum Notation: Equatable, Sendable {
  case text
  /// A JSON object; in a file also a table.
  case json
  /// `key=value`; in a file a table of texts.
  case labels
  /// The same, with the names of environment variables.
  case variables
  case bands
  /// A time span. In microseconds; zero is always allowed, if `orZero`.
  case span(ClosedRange<Int64>, orZero: Bool = true)
  /// `fire`, `skip`, or a time span.
  case late
  /// One of a few words, each with its meaning.
  case word([String], meanings: [String])
  case flag
  case yesNo
  case percentage
  /// Days on which an alarm does not ring, as the user typed them, or in files.
  case days, dayFiles
  case lastDay
  case command, shell, events
  case sound

  static func words(_ meanings: KeyValuePairs<String, String>) -> Notation {
    .word(meanings.map(\.key), meanings: meanings.map(\.value))
  }

  var isDays: Bool { self == .days || self == .dayFiles }
  var isNumber: Bool {
    switch self {
    case .span, .late, .percentage: true
    default: false
    }
  }
  var isMap: Bool { self == .labels || self == .variables }
  /// Whether an option may be given several times.
  var isList: Bool { isDays || isMap || self == .bands || self == .events }

  /// A value over the present one. Only the members of maps are kept.
  func merged(_ value: JSONValue, over present: JSONValue?) -> JSONValue {
    guard isMap, let present else { return value }
    return (value.objectValue ?? []).reduce(present) { $0.setting($1.key, $1.value) }
  }

  /// The value that removes a setting from a timer, as `Update` expects it.
  var removal: JSONValue {
    switch self {
    case .labels, .json: .object([])
    case .bands, .days, .dayFiles: .array([])
    default: ""
    }
  }
}

// MARK: - Reading

extension Notation {
  /// The value of one or more texts.
  ///
  /// - Parameter name: the option or the key, for errors.
  /// - Throws: `CommandError` with one sentence.
  func value(
    _ texts: [String], of name: String, at wall: WallClock
  ) throws(CommandError) -> JSONValue {
    guard let text = texts.last else { return .null }
    switch self {
    case .text: return .string(text)
    case .json: return try Self.json(text, name)
    case .labels: return try Self.labels(texts)
    case .variables:
      return .object(try texts.map { (text) throws(CommandError) in try Self.variable(text, name) })
    case .bands: return .array(try BandArgument.bands(texts).map { JSONValue($0) })
    case .span(let range, let orZero):
      return .integer(try Self.span(text, name, range, orZero: orZero))
    case .late:
      if ["fire", "skip"].contains(text) { return .string(text) }
      guard Sign.isMeantAsSpan(text) || Invocation.isSpan(text) else {
        throw .usage("\(name) is fire, skip or a time span such as 10min, not '\(text)'")
      }
      return .integer(try Self.span(text, name, 0...Limits.durationUsec, orZero: true))
    case .word(let words, _):
      guard words.contains(text) else {
        let near = NearName.nearest(to: text, among: words).map { "; did you mean \($0)?" } ?? ""
        throw .usage("\(name) is one of \(words.joined(separator: ", ")), not '\(text)'\(near)")
      }
      return .string(text)
    case .flag, .yesNo: return .bool(text == "true")
    case .percentage: return .integer(try Self.volume(text, name))
    case .days:
      return .strings(
        try Self.each(texts) { (text) throws(CommandError) in
          try ExceptDays.ranges(text, at: wall, option: name)
        })
    case .dayFiles:
      return .strings(
        try Self.each(texts) { (path) throws(CommandError) in
          let days = try ExceptDays.file(Self.fromHome(path), at: wall)
          // The alarm is more important than its exceptions, so this is only a warning.
          if days.isEmpty, !Terminal.hasScreen {
            Output.complain(
              "no day to come was found in \(path); a line has a date such as 2026-12-24, and of an "
                + "iCalendar file the all-day events count")
          }
          return days
        })
    case .lastDay: return .string(try ExceptDays.lastDay(text, at: wall, option: name).text)
    case .command:
      let words: [String]
      do throws(CommandWords.Problem) { words = try CommandWords.split(text) } catch {
        let shell = name.hasPrefix("-") ? "--shell" : "'shell'"
        let remedy = error.isForShell ? "; use \(shell), or quote it" : ""
        throw .usage("\(name) \(error.sentence)\(remedy)", see: .hooks)
      }
      return try Self.command(words, name)
    case .shell:
      guard !text.allSatisfy(\.isWhitespace) else {
        throw .usage("\(name) has no command in it; write one such as 'paplay bell.oga'")
      }
      return .strings(ShellLine(text).command)
    case .events: return .strings(try Self.events(texts))
    case .sound: return .string(try Self.sound(text, name))
    }
  }

  private static func each(
    _ texts: [String], _ ranges: (String) throws(CommandError) -> [DayRange]
  ) throws(CommandError) -> [String] {
    var all: [DayRange] = []
    for text in texts { all += try ranges(text) }
    return try ExceptDays.checked(DayRange.merged(all)).map(\.text)
  }

  private static func json(_ text: String, _ name: String) throws(CommandError) -> JSONValue {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue.parse(text) } catch {
      throw .usage("\(name) is no JSON: \(error.description)")
    }
    guard value.objectValue != nil else {
      throw .usage("\(name) must be a JSON object, such as '{\"distance_m\": 1840}'")
    }
    return value
  }

  /// The labels of words of the form `key=value`.
  private static func labels(_ words: [String]) throws(CommandError) -> JSONValue {
    var labels: [JSONValue.Member] = []
    for word in words {
      guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
        throw .usage("a label is written key=value, not '\(word)'")
      }
      let key = String(word[..<equals])
      guard !labels.contains(where: { $0.key == key }) else {
        throw .usage("the label '\(key)' is given twice")
      }
      labels.append(.init(key, .string(String(word[word.index(after: equals)...]))))
    }
    return .object(labels)
  }

  /// The variable of a text. The text is `KEY=VALUE`, or `KEY` for the value that the variable has
  /// in this process.
  private static func variable(
    _ text: String, _ option: String
  ) throws(CommandError) -> JSONValue.Member {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard !name.isEmpty else { throw .usage("\(option) needs a name; write \(option) NAME=VALUE") }
    guard RingPlan.Variable.isName(name) else {
      throw .usage(
        "'\(name)' is no variable for a command: its name has letters, digits and underscores, and "
          + "does not begin with a digit, NIGHTJAR_ or LISTEN_", see: .hooks)
    }
    if parts.count == 2 { return .init(name, .string(String(parts[1]))) }
    guard let value = getenv(name) else {
      throw .usage("\(name) is not set here; write \(option) \(name)=VALUE")
    }
    return .init(name, .string(String(cString: value)))
  }

  /// A time span, in microseconds.
  private static func span(
    _ text: String, _ name: String, _ range: ClosedRange<Int64>, orZero: Bool
  ) throws(CommandError) -> Int64 {
    guard let parsed = WallClock.here.span(text), case .usec(let length) = parsed.span
    else {
      throw .usage("\(name) takes a time span such as 20s or 5min, not '\(text)'", see: .time)
    }
    if let remark = TypedSpan.remark(aboutMonthsIn: parsed),
      let readings = parsed.monthsReadings
    {
      throw .usage("\(name): \(remark), for months \(readings.months)", see: .time)
    }
    let usec = Int64(clamping: length)
    guard orZero && usec == 0 || usec > 0 && range.contains(usec) else {
      let longest = SpanFormat.text(usec: range.upperBound)
      throw .usage("\(name) goes up to \(longest), not to \(text)", see: .time)
    }
    if name.hasPrefix("-") { DurationArgument.remark(onBareNumberIn: parsed, name) }
    return usec
  }

  private static func volume(_ text: String, _ name: String) throws(CommandError) -> Int64 {
    guard let number = Int64(text) else {
      throw .usage("\(name) takes a number \(Limits.volumeWords), such as 50, not '\(text)'")
    }
    guard Limits.volume.contains(number) else {
      throw .usage("\(name) goes \(Limits.volumeWords), not \(number); for no sound write --silent")
    }
    return number
  }

  /// The words of a command that is not empty. If the program is in the current folder, its
  /// absolute path is used, because the daemon runs the command in another folder.
  static func command(_ words: [String], _ name: String) throws(CommandError) -> JSONValue {
    var words = words
    guard let program = words.first, !program.isEmpty else {
      throw .usage("\(name) has no program in it")
    }
    if program.contains("/") { words[0] = absolute(fromHome(program)) }
    guard !words[0].contains("/") || !ProgramFile.isFolder(words[0]) else {
      throw .usage(
        "\(words[0]) is a folder; begin \(name) with a program's name, or its file's path")
    }
    return .strings(words)
  }

  /// The types of events in lists with commas.
  private static func events(_ lists: [String]) throws(CommandError) -> [String] {
    let names = lists.flatMap { $0.split(separator: ",").map(String.init) }
    guard !names.isEmpty else {
      throw .usage(
        "there is no event in '\(lists.joined())'; write some, such as rang,band_crossed",
        see: .hooks)
    }
    let known = Wire.EventType.timerEvent.map(\.rawValue)
    if let name = names.first(where: { !known.contains($0) }) {
      let near = NearName.nearest(to: name, among: known).map { "did you mean \($0)?" }
      throw .usage(
        "'\(name)' is no event of a timer; \(near ?? "there are \(known.joined(separator: ", "))")",
        see: .hooks)
    }
    return names
  }

  /// The name of a built-in sound, or the path of a file that exists.
  private static func sound(_ text: String, _ name: String) throws(CommandError) -> String {
    guard !text.isEmpty else {
      throw .usage("\(name) needs a file or a name; for no sound write --silent")
    }
    if RingPlan.builtInSounds.contains(text) { return text }
    let path = absolute(fromHome(text))
    guard access(path, R_OK) == 0 else {
      let reason = SystemError.words(errno)
      let names = RingPlan.builtInSounds.joined(separator: ", ")
      throw .usage("\(path) cannot be read: \(reason); sounds without a file are \(names)")
    }
    guard ProgramFile.isRegular(path) else {
      throw .usage("\(path) is not a file; give a sound file, or write --silent for no sound")
    }
    return path
  }

  /// A path that begins with `~/`, which only a shell would replace, with the user's folder.
  private static func fromHome(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = Environment.valueOrHome("HOME") else { return path }
    return home + path.dropFirst()
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    var rest = Substring(path)
    while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
    return "\(String(cString: folder))/\(rest)"
  }
}

// MARK: - Files

extension Notation {
  /// The value of a key in a file.
  func value(
    of node: ConfigNode, in table: ConfigTable, at wall: WallClock
  ) throws(ConfigError) -> JSONValue {
    switch (self, node.value) {
    case (.flag, .boolean(let isTrue)), (.yesNo, .boolean(let isTrue)): return .bool(isTrue)
    case (.flag, _), (.yesNo, _): throw table.error(at: node, expected: "true or false")
    case (.json, .table): return try TOMLText.json(node, in: table)
    default: break
    }
    let isFile = self == .sound || self == .dayFiles
    let texts = try TOMLText.texts(of: node, in: table, isMap: isMap, isNumber: isNumber)
    if isFile, let path = texts.first(where: { !$0.hasPrefix("/") && !$0.hasPrefix("~/") }),
      self != .sound || !RingPlan.builtInSounds.contains(path)
    {
      let names = self == .sound ? "\(RingPlan.builtInSounds.joined(separator: ", ")), or " : ""
      throw table.error(
        at: node, "'\(node.key)' must be \(names)a path that begins with / or ~/, not \"\(path)\"")
    }
    do throws(CommandError) {
      // A file that is away now may be back when the timer is started.
      if self == .sound { return .string(Self.fromHome(texts[0])) }
      if self == .command, case .array = node.value {
        return try Self.command(texts, "'\(node.key)'")
      }
      return try value(texts, of: "'\(node.key)'", at: wall)
    } catch {
      let sentence = "\(error.message)"
      throw table.error(
        at: node, sentence.contains("'\(node.key)'") ? sentence : "'\(node.key)': \(sentence)")
    }
  }

  /// The value of a setting as a file has it; nil: a file cannot have it.
  func written(_ value: JSONValue) -> String? {
    switch (self, value) {
    case (.json, _): TOMLText.quoted(value.text)
    case (.span, .integer(let usec)), (.late, .integer(let usec)):
      TOMLText.quoted(SpanFormat.canonical(.usec(UInt64(clamping: usec))))
    case (.bands, _):
      TOMLText.array((value.arrayValue ?? []).map(BandArgument.text))
    case (.shell, _): ShellLine(value.strings).map { TOMLText.quoted($0.text) }
    default: TOMLText.written(value)
    }
  }
}

// MARK: - Showing

extension Notation {
  /// The value in the words of `show`.
  func shown(_ value: JSONValue) -> String {
    switch (self, value) {
    case (.span, .integer(let usec)): return SpanFormat.text(usec: usec)
    case (.late, .integer(let usec)): return "rings up to \(SpanFormat.text(usec: usec)) late"
    case (.labels, _):
      return (value.objectValue ?? []).map { "\($0.key)=\($0.value.stringValue ?? "")" }
        .joined(separator: " ")
    case (.command, _), (.shell, _):
      return value.strings.map(Quoting.quoted).joined(separator: " ")
    case (.json, _): return value.text
    case (_, .array): return value.strings.joined(separator: ", ")
    case (_, .bool(let isTrue)): return isTrue ? "yes" : "no"
    case (_, .integer(let number)): return "\(number)"
    default: return value.stringValue ?? value.text
    }
  }
}
