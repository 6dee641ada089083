import ArgumentParser
import NightjarClient
import NightjarInterface
import Varlink

extension Option where Value == [String] {
  /// The option of a setting.
  init(_ setting: Setting) {
    self.init(
      wrappedValue: [], name: setting.names,
      parsing: setting.notation.isDays ? .upToNextOption : .singleValue,
      help: ArgumentHelp(stringLiteral: setting.optionHelp).named(setting.valueName),
      completion: setting.completion)
  }
}

extension Flag where Value == Bool {
  init(_ setting: Setting) {
    self.init(
      wrappedValue: false, name: .customLong(setting.option), help: "\(setting.optionHelp)")
  }
}

extension Flag where Value == Bool? {
  init(_ setting: Setting) {
    self.init(
      name: .customLong(setting.option), inversion: .prefixedNo, help: "\(setting.optionHelp)")
  }
}

extension Setting {
  fileprivate var names: NameSpecification {
    NameSpecification([option, otherOption].compactMap { $0 }.map { .customLong($0) })
  }
}

extension ArgumentHelp {
  fileprivate func named(_ valueName: String) -> ArgumentHelp {
    var help = self
    help.valueName = valueName
    return help
  }
}

extension Setting {
  /// The help of the option. If only a few words are valid, it has them with their meanings.
  fileprivate var optionHelp: String {
    guard case .word(let words, let meanings) = notation else { return help }
    let list = zip(words, meanings).map { "\($0) (\($1))" }.joined(separator: ", ")
    return "\(help): \(list)."
  }

  fileprivate var completion: CompletionKind? {
    switch notation {
    case .word(let words, _): .list(words)
    case .late: .list(["fire", "skip"])
    case .events: .list(Wire.EventType.timerEvent.map(\.rawValue))
    case .sound: TimerCompletion.sounds
    case .dayFiles: .file()
    case .text where key == "zone": TimerCompletion.zones
    default: nil
    }
  }

  /// The name of the property that declares the option: `ringFor` for `ring_for`.
  fileprivate var property: String {
    let words = key.split(separator: "_")
    return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

/// Options of settings. Each property has the name of its setting.
protocol SettingOptions: ParsableArguments {}

extension SettingOptions {
  /// Adds the values that the user gave.
  func add(to values: inout SettingValues, at wall: WallClock) throws(CommandError) {
    let given = given
    for (setting, _) in given {
      guard let other = setting.replaced, given.contains(where: { $0.setting.key == other.key })
      else { continue }
      throw .usage("give --\(setting.option) or --\(other.option), not both")
    }
    for (setting, texts) in given {
      let typed = setting.notation.isDays ? [texts.phrase] : texts
      let value = try setting.notation.value(typed, of: "--\(setting.option)", at: wall)
      values.set(value, for: setting)
    }
  }

  /// The settings whose options the user gave, with what the user typed.
  private var given: [(setting: Setting, texts: [String])] {
    Mirror(reflecting: self).children.compactMap { child in
      guard let setting = Setting.all.first(where: { "_\($0.property)" == child.label }) else {
        return nil
      }
      let texts: [String] =
        switch child.value {
        case let option as Option<[String]>: option.wrappedValue
        case let flag as Flag<Bool>: flag.wrappedValue ? ["true"] : []
        case let flag as Flag<Bool?>: flag.wrappedValue.map { ["\($0)"] } ?? []
        default: []
        }
      return texts.isEmpty ? nil : (setting, texts)
    }
  }
}

/// The options of all timers.
struct CommonOptions: SettingOptions {
  @Option(.labels) var labels: [String]
  @Option(.data) var data: [String]
  @Option(.message) var message: [String]
}

/// The options of timers that end.
struct EndingOptions: SettingOptions {
  @Option(.bands) var bands: [String]
  @Option(.late) var late: [String]
  @Option(.missed) var missed: [String]
  @Flag(.wake) var wake: Bool
}

struct BandOption: SettingOptions {
  @Option(.bands) var bands: [String]
}

struct ClockOption: SettingOptions {
  @Option(.clock) var clock: [String]
}

/// The options for the days of an alarm that repeats.
struct DaysOptions: SettingOptions {
  @Option(.except) var except: [String]
  @Option(.exceptFile) var exceptFile: [String]
  @Option(.until) var until: [String]
}

/// The options for the effects of a ring, such as a command or a sound.
struct RingOptions: SettingOptions {
  @Option(.exec) var exec: [String]
  @Option(.shell) var shell: [String]
  @Option(.execOn) var execOn: [String]
  @Option(.execTimeout) var execTimeout: [String]
  @Option(.env) var env: [String]
  @Option(.sound) var sound: [String]
  @Flag(.silent) var silent: Bool
  @Option(.ringFor) var ringFor: [String]
  @Option(.volume) var volume: [String]
  @Option(.rising) var rising: [String]
  @Option(.insist) var insist: [String]
  @Flag(.disturb) var disturb: Bool?
}
