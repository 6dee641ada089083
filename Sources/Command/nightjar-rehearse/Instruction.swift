import NightjarConfig
import NightjarTime
import nightjar

/// An instruction of a script, from one line.
enum Instruction {
  case wait(Length)
  /// Time passes that is hidden from the daemon.
  case hide(Hiding, Length)
  /// The wall clock is set by a number of microseconds. A negative number sets it back.
  case step(byUsec: Int64)
  /// The network corrects the clock.
  case synchronize
  case move(ZoneRules)
  /// The screen is locked if the value is true, and unlocked if it is false.
  case lock(Bool)
  /// Time passes until nothing more is to come.
  case run
  case command(ScriptedCommand)
}

/// The cause of time that is hidden from the daemon.
enum Hiding: Equatable {
  case sleep
  case stop
  case down
  case crash
  case freeze
  /// The machine reboots. After the reboot, the wall clock is wrong by `errorUsec`.
  case reboot(errorUsec: Int64)
}

enum Length: Equatable {
  case usec(Int64)
  /// The time until the wall clock shows this text.
  case until(String)

  /// - Parameter verb: the verb of the line, for the error if the length is missing.
  init(_ words: some Collection<String>, of verb: Verb, at wall: WallClock) throws(CommandError) {
    guard let first = words.first else { throw .usage("\(verb.rawValue) how long? \(verb.usage)") }
    guard first == "until" else {
      guard first.first != "-" else {
        throw .usage("a time span cannot be negative: '\(first)'; \(verb.usage)")
      }
      self = .usec(try DurationArgument(words.joined(separator: " ")).usec)
      return
    }
    let text = words.dropFirst().joined(separator: " ")
    guard !text.isEmpty else { throw .usage("\(verb.rawValue) until when? \(verb.usage)") }
    // A time in the past is accepted here, because the simulated time at this line is not known
    // before the rehearsal.
    try CommandError.understanding { () throws(WordsProblem) in
      try AlarmTime(wall: wall).check(text)
    }
    self = .until(text)
  }

  /// - Returns: the length in microseconds, from the time of `wall`.
  /// - Throws: `CommandError`: the text is a time that is past at `wall`.
  func usec(at wall: WallClock) throws(CommandError) -> Int64 {
    switch self {
    case .usec(let usec): return usec
    case .until(let text):
      return try CommandError.understanding { () throws(WordsProblem) in
        try AlarmTime(wall: wall).next(text) - wall.nowUsec
      }
    }
  }
}

/// The first words of lines about the machine.
enum Verb: String, CaseIterable {
  case at
  case wait
  case sleep
  case stop
  case down
  case crash
  case reboot
  case freeze
  case step
  case sync
  case lock
  case unlock
  case zone
  case run

  /// The sentence that shows how to write the line. It is the end of errors about the line.
  var usage: String {
    switch self {
    case .at: "write at 2026-03-28 23:00 Europe/Berlin"
    case .wait: "write wait 10min, or wait until 9:00"
    case .sleep: "write sleep 7h, or sleep until 7:00"
    case .stop: "write stop 5min for SIGTSTP, or stop NAME to end a timer"
    case .down: "write down 1min"
    case .crash: "write crash 3s"
    case .reboot: "write reboot 2min, or reboot 2min --clock-off -3h"
    case .freeze: "write freeze 30s"
    case .step: "write step +2h or step -2h"
    case .sync: "write sync, and nothing more"
    case .lock: "write lock, and nothing more; time passes by what follows"
    case .unlock: "write unlock, and nothing more"
    case .zone: "write zone Europe/Berlin"
    case .run: "write run, and nothing more"
    }
  }
}

extension Instruction {
  /// Parses the words of a line.
  ///
  /// - Parameter wall: the time and zone at the beginning of the script. Words that are not valid
  ///   at that time are refused, because they are not valid later either.
  init(_ words: [String], at wall: WallClock) throws(CommandError) {
    guard let first = words.first, first != "nightjar" else {
      self = try Self.command(Array(words.dropFirst()), at: wall)
      return
    }
    let rest = words.dropFirst()
    guard let verb = Verb(rawValue: first), Self.isAboutMachine(verb, rest) else {
      self = try Self.command(words, at: wall)
      return
    }
    self = try Self.machine(verb, rest, at: wall)
  }

  /// Whether a line is about the machine. The word `stop` is also the name of a command for timers.
  private static func isAboutMachine(_ verb: Verb, _ rest: ArraySlice<String>) -> Bool {
    guard verb == .stop, let first = rest.first else { return true }
    return first == "until" || Sign.isMeantAsSpan(first)
      || Invocation.isSpan(rest.joined(separator: " "))
  }

  private static func machine(
    _ verb: Verb, _ rest: ArraySlice<String>, at wall: WallClock
  ) throws(CommandError) -> Instruction {
    switch verb {
    case .wait: return .wait(try Length(rest, of: verb, at: wall))
    case .sleep: return .hide(.sleep, try Length(rest, of: verb, at: wall))
    case .stop: return .hide(.stop, try Length(rest, of: verb, at: wall))
    case .down: return .hide(.down, try Length(rest, of: verb, at: wall))
    case .crash: return .hide(.crash, try Length(rest, of: verb, at: wall))
    case .freeze: return .hide(.freeze, try Length(rest, of: verb, at: wall))
    case .reboot: return try reboot(rest, at: wall)
    case .step: return .step(byUsec: try shift(rest.joined(separator: " "), of: verb))
    case .zone:
      guard let name = rest.first, rest.count == 1 else { throw .usage(verb.usage) }
      guard let zone = ZoneDatabase.zone(named: name) else {
        throw .usage(ZoneDatabase.absence(of: name))
      }
      return .move(zone)
    case .sync, .run, .lock, .unlock:
      guard rest.isEmpty else { throw .usage(verb.usage) }
      switch verb {
      case .sync: return .synchronize
      case .run: return .run
      default: return .lock(verb == .lock)
      }
    case .at: throw .usage("at comes first of all, and by itself")
    }
  }

  /// The step of a clock from a text such as `+2h` or `-2h`, in microseconds.
  private static func shift(_ text: String, of verb: Verb) throws(CommandError) -> Int64 {
    guard let sign = text.first, sign == "+" || sign == "-" else { throw .usage(verb.usage) }
    let usec = try DurationArgument(String(text.dropFirst())).usec
    return sign == "-" ? -usec : usec
  }

  private static func reboot(
    _ rest: ArraySlice<String>, at wall: WallClock
  ) throws(CommandError) -> Instruction {
    let option = "--clock-off"
    if let other = rest.first(where: { $0.hasPrefix("--") && !$0.hasPrefix("\(option)=") }),
      other != option
    {
      throw .usage("reboot has no option '\(other)'; \(Verb.reboot.usage)")
    }
    guard let index = rest.firstIndex(where: { $0 == option || $0.hasPrefix("\(option)=") }) else {
      return .hide(.reboot(errorUsec: 0), try Length(rest, of: .reboot, at: wall))
    }
    let isApart = rest[index] == option
    let value =
      isApart ? rest[(index + 1)...].joined(separator: " ") : String(rest[index].dropFirst(12))
    guard isApart || index == rest.endIndex - 1 else { throw .usage(Verb.reboot.usage) }
    return .hide(
      .reboot(errorUsec: try shift(value, of: .reboot)),
      try Length(rest[..<index], of: .reboot, at: wall))
  }
}

// MARK: - Commands for timers

extension Instruction {
  private static func command(
    _ words: [String], at wall: WallClock
  ) throws(CommandError) -> Instruction {
    guard let first = words.first else { throw .usage("write the whole command") }
    try checkIsKnown(first)
    return .command(try ScriptedCommand(words, at: wall))
  }

  /// Throws an error if no line can begin with this word. The error suggests the most similar
  /// command.
  private static func checkIsKnown(_ word: String) throws(CommandError) {
    guard !ScriptedCommand.names.contains(word), !word.hasPrefix("-"),
      !Sign.isMeantAsSpan(word)
    else { return }
    let names = Verb.allCases.map(\.rawValue) + ScriptedCommand.names
    let near = NearName.nearest(to: word, among: names).map { "; did you mean '\($0)'?" }
    throw .usage("a script has no command '\(word)'\(near ?? "")")
  }
}
