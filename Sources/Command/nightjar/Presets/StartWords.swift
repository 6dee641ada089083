import NightjarClient
import NightjarConfig
import NightjarInterface
import NightjarModel
import NightjarTime
import Varlink

/// The arguments of `start`, combined with the preset of the timer's name.
///
/// A preset supplies the parts that the arguments lack. If the arguments have a duration, the timer
/// is started even if the configuration file has a mistake. Otherwise a mistake would break every
/// script that starts a timer.
struct StartWords {
  /// The parameters of `Start` from the arguments and the preset.
  private(set) var parameters: JSONValue
  /// The name that the user typed before the duration; nil: the user typed none.
  private let name: String?
  /// The duration, as the user would type it; nil: there is none.
  private let text: String?
  private let preset: Preset?
  /// Whether to save the timer as a preset, too.
  private let isSaved: Bool
  /// The text that the command adds to the line about the started timer.
  private let note: String
  /// The error if neither the arguments nor the ledger have a duration; nil: the arguments have
  /// one.
  private let refusal: CommandError?

  var isCountdown: Bool { parameters["duration_usec"] != nil || refusal != nil }

  /// - Parameter name: the name that an option gave; nil: no option gave one.
  init(
    _ words: [String], name given: String? = nil, withPresets: Bool, isSaved: Bool,
    at wall: WallClock
  ) throws(CommandError) {
    do throws(CommandError) {
      self = try StartWords(
        saying: words, name: given, withPresets: withPresets, isSaved: isSaved, at: wall)
    } catch {
      guard error.status == .usage,
        let name = words.isEmpty
          ? given : given == nil && StartArguments(at: wall).isName(words) ? words[0] : nil,
        let alone = StartWords(
          name, withPreset: withPresets && given == nil, isSaved: isSaved, refusal: error, at: wall)
      else { throw error }
      self = alone
    }
  }

  /// Makes a timer that gets the duration of the last timer of its name. Nil if the preset has a
  /// duration.
  ///
  /// - Parameter refusal: the error to throw if there was no last timer.
  private init?(
    _ name: String, withPreset: Bool, isSaved: Bool, refusal: CommandError, at wall: WallClock
  ) {
    self.isSaved = isSaved
    preset = withPreset ? try? Presets.read().named(name, at: wall) : nil
    guard preset?.time == nil else { return nil }
    // This length is replaced by that of the last timer.
    let usec: Int64 = 1_000_000
    parameters =
      preset?.start(usec: usec) ?? ["name": .string(name), "duration_usec": .integer(usec)]
    (self.name, self.refusal) = (name, refusal)
    text = nil
    note = " (as long as last time)"
  }

  /// Makes a timer whose duration is in the arguments.
  private init(
    saying words: [String], name given: String?, withPresets: Bool, isSaved: Bool,
    at wall: WallClock
  ) throws(CommandError) {
    self.isSaved = isSaved
    refusal = nil
    if given == nil, withPresets, let preset = try Self.preset(insteadOf: words, at: wall) {
      parameters = try preset.start(at: wall)
      name = preset.name
      text = parameters["duration_usec"]?.integerValue.map {
        SpanFormat.canonical(.usec(UInt64($0)))
      }
      self.preset = preset
      note = " (preset \(preset.name))"
      return
    }
    let (name, text) = try CommandError.understanding { () throws(WordsProblem) in
      try StartArguments(at: wall).parsed(words, name: given)
    }
    let duration = try DurationArgument(text)
    preset =
      withPresets
      ? name.flatMap { Self.preset(beside: $0, printsMistakes: !isSaved, at: wall) } : nil
    // A preset may give its timer another name.
    parameters = preset?.start(usec: duration.usec) ?? ["duration_usec": .integer(duration.usec)]
    if preset == nil, let name { parameters = parameters.setting("name", .string(name)) }
    self.name = name
    self.text = text
    note = duration.note + (preset.map { " (preset \($0.name))" } ?? "")
  }

  /// The preset whose name is the only argument, if that argument is no duration; otherwise nil.
  private static func preset(
    insteadOf words: [String], at wall: WallClock
  ) throws(CommandError) -> Preset? {
    guard words.count == 1, let word = words.first, !word.isEmpty, !Invocation.isSpan(word) else {
      return nil
    }
    let names: [String]
    do throws(ConfigError) {
      let presets = try Presets.read()
      if let preset = try presets.named(word, at: wall) { return preset }
      names = presets.ownNames
    } catch {
      // A word that begins with a digit is meant as a duration. An error about the duration is then
      // more useful than one about the configuration file.
      if Sign.isMeantAsSpan(word) { return nil }
      throw CommandError(.refused, error.description, see: .configuration)
    }
    guard !names.isEmpty, !Sign.isMeantAsSpan(word) else { return nil }
    throw unknown(word, names, at: wall)
  }

  private static func unknown(
    _ word: String, _ names: [String], at wall: WallClock
  ) -> CommandError {
    let hint =
      NearName.nearest(to: word, among: names).map { "did you mean '\($0)'?" }
      ?? "there are \(names.joined(separator: ", "))"
    return .usage(
      "how long? no preset is called '\(word)' (\(hint)); without one write "
        + StartArguments(at: wall).command(word, "4min"))
  }

  /// The preset for a timer whose duration is in the arguments; nil: there is none.
  ///
  /// - Parameter printsMistakes: whether to print the mistakes in the configuration file. False if
  ///   the preset is to be saved, because `SavedPreset` prints them.
  private static func preset(
    beside name: String, printsMistakes: Bool, at wall: WallClock
  ) -> Preset? {
    do throws(ConfigError) {
      return try Presets.read().named(name, at: wall)
    } catch {
      guard printsMistakes else { return nil }
      Output.complain(
        "'\(name)' is started without a preset: \(error)",
        reference: HelpTopic.configuration.reference)
      return nil
    }
  }
}

// MARK: - The request

extension StartWords {
  /// The request. It uses the options, and the preset's values where options are missing.
  ///
  /// - Parameters:
  ///   - values: the settings that the user gave in options.
  ///   - flags: the parameters of other options.
  /// - Throws: `CommandError` if the timer would wake the machine, but has a clock that stops
  ///   during sleep, and the preset has one of the two settings. Also if the options for the
  ///   timer's command make no sense.
  func request(
    _ values: SettingValues, _ flags: JSONValue
  ) throws(CommandError) -> StartRequest {
    var start = parameters
    for member in flags.objectValue ?? [] {
      if ["replace", "if_absent"].contains(member.key) {
        start = start.removing(["replace"]).removing(["if_absent"])
      }
      start = start.setting(member.key, member.value)
    }
    let merged = values.applied(to: start)
    try check(merged)
    let name = StartArguments.typed(name ?? "NAME")
    let span = text.map { " \(Quoting.quoted($0))" } ?? ""
    var request = try StartRequest(
      merged, again: "\(Typed.nightjar) start \(name)\(span)", span: text, note: note)
    if isSaved {
      request.saving = try SavedPreset(merged, name: merged["name"]?.stringValue)
    }
    if let refusal {
      // A preset may give its timer another name.
      let started = parameters["name"]?.stringValue ?? ""
      request.last = (started, refusal)
    }
    return request
  }

  /// Throws the error that names the preset's setting, if that setting conflicts with the command
  /// line.
  private func check(_ merged: JSONValue) throws(CommandError) {
    guard let preset, StartRequest.problem(in: merged)?.part == .wake else { return }
    let clock = merged["clock"]?.stringValue ?? Wire.Clock.awake.rawValue
    if preset.values.has(.wake) {
      throw .usage(
        "the preset \(preset.name) wakes the machine, which the clock \(clock) cannot; leave out "
          + "--clock \(clock), or add --no-preset")
    }
    if preset.values.has(.clock) {
      throw .usage(
        "the preset \(preset.name) has the clock \(clock), which stands still while the machine "
          + "sleeps; leave out --wake, or add --clock elapsed")
    }
  }
}
