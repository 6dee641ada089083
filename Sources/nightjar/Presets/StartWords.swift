import NightjarClient
import NightjarConfig
import NightjarTime

/// What was typed behind `start`, and the preset of that name.
///
/// A preset stands in for what is not said. A duration on the command line starts the timer whatever
/// is wrong with the file: a mistake there must not be the end of every script that starts one.
struct StartWords {
  /// What is to be started, as far as the words and the preset say.
  let timer: NewTimer
  /// The duration, as it would be typed; nil for what has none.
  let text: String?
  let preset: Preset?
  /// What the echo adds.
  let note: String

  init(_ words: [String], withPresets: Bool, at wall: Wall) throws(CommandError) {
    if withPresets, let preset = try Self.preset(insteadOf: words) {
      timer = try preset.timer(at: wall)
      text = preset.durationUsec.map { SpanFormat.canonical(.usec(UInt64($0))) }
      self.preset = preset
      note = " (preset \(preset.name))"
      return
    }
    let (name, text) = try StartArguments.understand(words)
    let duration = try DurationArgument(text)
    preset = withPresets ? name.flatMap(Self.preset(beside:)) : nil
    var timer =
      try preset?.timer(durationUsec: duration.usec, at: wall)
      ?? NewTimer(name: nil, .countdown(.microseconds(duration.usec)))
    timer.name = name
    self.timer = timer
    self.text = text
    note = duration.note + (preset.map { " (preset \($0.name))" } ?? "")
  }

  /// The preset that a single word names, where it is no duration.
  private static func preset(insteadOf words: [String]) throws(CommandError) -> Preset? {
    guard words.count == 1, let word = words.first, !word.isEmpty, !Invocation.isSpan(word) else {
      return nil
    }
    let names: [String]
    do throws(ConfigError) {
      let presets = try Presets.read()
      if let preset = try presets.named(word) { return preset }
      names = presets.names
    } catch {
      // Who began with a digit is told about that, not about a file that nobody asked for.
      if Invocation.isMeantAsSpan(word) { return nil }
      throw CommandError(.refused, error.description)
    }
    guard !names.isEmpty, !Invocation.isMeantAsSpan(word) else { return nil }
    throw unknown(word, names)
  }

  private static func unknown(_ word: String, _ names: [String]) -> CommandError {
    let quoted = Quoting.quoted(word)
    let hint =
      NearName.nearest(to: word, among: names).map { "did you mean '\($0)'?" }
      ?? "there are \(names.joined(separator: ", "))"
    return .usage(
      "how long? no preset is called '\(word)' (\(hint)); without one write nightjar start "
        + "\(quoted) 4min")
  }

  /// The preset for a timer whose duration has been said.
  private static func preset(beside name: String) -> Preset? {
    do throws(ConfigError) {
      return try Presets.read().named(name)
    } catch {
      Output.complain("'\(name)' is started without a preset: \(error)")
      return nil
    }
  }
}

// MARK: - What is sent

extension StartWords {
  /// What is asked for where nothing more is said.
  func request() throws(CommandError) -> StartRequest { try request(timer, ring: nil) }

  /// What is asked for.
  ///
  /// - Parameters:
  ///   - timer: with what the options say.
  ///   - ring: what they say of its ring; the preset stands in for the rest.
  func request(_ timer: NewTimer, ring: RingWords?) throws(CommandError) -> StartRequest {
    var timer = timer
    if let words = ring?.over(preset?.ring) ?? preset?.ring {
      timer.ring = try words.ring(rings: timer.kind != .stopwatch)
    }
    let name = Quoting.quoted(timer.name ?? "NAME")
    let span = text.map { " \(Quoting.quoted($0))" } ?? ""
    return StartRequest(
      timer: timer, again: "nightjar start \(name)\(span)", span: text, note: note)
  }
}

// MARK: - What the command line says comes first

extension StartWords {
  /// The timer with what the options say; the preset stands in for what they do not.
  ///
  /// - Throws: `CommandError` if one of them wakes the machine, and the other has the clock that
  ///   stands still while it sleeps.
  func timer(with typed: NewTimer) throws(CommandError) -> NewTimer {
    var timer = timer
    timer.clock = typed.clock ?? timer.clock
    try check(timer, typed: typed)
    timer.labels = labels(with: typed.labels)
    timer.data = typed.data ?? timer.data
    timer.bands = typed.bands.isEmpty ? timer.bands : typed.bands
    timer.late = typed.late ?? timer.late
    timer.missed = typed.missed ?? timer.missed
    timer.wake = typed.wake || timer.wake
    timer.replace = typed.replace || !typed.ifAbsent && timer.replace
    timer.ifAbsent = typed.ifAbsent || !typed.replace && timer.ifAbsent
    return timer
  }

  private func check(_ timer: NewTimer, typed: NewTimer) throws(CommandError) {
    guard let preset, timer.clock == .awake else { return }
    if preset.wake == true, typed.clock == .awake {
      throw .usage(
        "the preset \(preset.name) wakes the machine, which the clock awake cannot; leave out "
          + "--clock awake, or add --no-preset")
    }
    if typed.wake, typed.clock == nil {
      throw .usage(
        "the preset \(preset.name) has the clock awake, which stands still while the machine "
          + "sleeps; leave out --wake, or add --clock elapsed")
    }
  }

  /// The labels that were typed, and those of the preset that have other keys.
  private func labels(
    with typed: [NightjarTimer.Label]
  ) -> [NightjarTimer.Label] {
    timer.labels.filter { label in !typed.contains { $0.key == label.key } } + typed
  }
}
