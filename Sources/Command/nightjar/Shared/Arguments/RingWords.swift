import Glibc
import NightjarClient
import NightjarConfig
import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarTime
import Varlink

/// Reads the options of a ring, as the user typed them.
enum RingWords {
  /// The ring of a new timer. If it has a command, the environment variables of this process that
  /// the command needs are added.
  ///
  /// - Parameters:
  ///   - ring: the options that the user gave, as a JSON object.
  ///   - rings: whether the timer rings. If not, a command needs events on which to run.
  static func completed(_ ring: JSONValue, rings: Bool) throws(CommandError) -> JSONValue {
    guard let command = ring["exec"]?.strings, !command.isEmpty else {
      guard ["on", "timeout_usec", "environment"].allSatisfy({ ring[$0] == nil }) else {
        throw .usage(
          "--exec-on, --exec-timeout and --env are settings of a command; add --exec or --shell")
      }
      return ring
    }
    try check(ring, rings: rings)
    var environment = Wire.Ring.environmentOfThisProcess
    for member in ring["environment"]?.objectValue ?? [] {
      environment[member.key] = member.value.stringValue
    }
    environment.members.sort { $0.key < $1.key }
    remark(on: command, path: environment["PATH"], "the timer is started all the same")
    return ring.setting("environment", JSONValue(environment))
  }

  /// - Throws: `CommandError` if the command would never run, because the timer does not ring and
  ///   there are no events for the command.
  static func check(_ ring: JSONValue, rings: Bool) throws(CommandError) {
    guard rings || ring["exec"] == nil || ring["on"] != nil else {
      throw .usage("a stopwatch does not ring; say when to run it: --exec-on lapped,paused")
    }
  }

  /// The ring of an update. A new command gets the variables of this process, beside the given
  /// ones.
  static func completed(update ring: Wire.Ring) -> Wire.Ring {
    guard let command = ring.exec else { return ring }
    var ring = ring
    var environment = ring.environment ?? [:]
    for variable in Wire.Ring.environmentOfThisProcess where environment[variable.key] == nil {
      environment[variable.key] = variable.value
    }
    environment.members.sort { $0.key < $1.key }
    ring.environment = environment
    remark(on: command, path: environment["PATH"], "the timer is changed all the same")
    return ring
  }

  /// Prints a warning if the command's program does not exist. The command is accepted, because the
  /// user may install the program later. The warning is for a user who has made a typing mistake.
  private static func remark(
    on command: [String], path: String?, _ consolation: String
  ) {
    guard let program = ShellLine(command).map(\.program) ?? command.first else { return }
    switch ProgramFile(program, search: path) {
    case .found: break
    case .obstructed(.notInPath), .obstructed(.missing):
      Output.complain("there is no program '\(program)' now; \(consolation)")
    case .obstructed:
      Output.complain("'\(program)' may not be executed now; \(consolation)")
    }
  }
}

// MARK: - Reading the options

extension RingWords {
  /// The words of a command that is one text. If the program is in the current folder, its absolute
  /// path is used, because the daemon runs the command in another folder.
  static func command(_ text: String) throws(CommandError) -> [String] {
    let words: [String]
    do throws(CommandWords.Problem) {
      words = try CommandWords.split(text)
    } catch {
      let remedy = error.isForShell ? "; use --shell, or quote it" : ""
      throw .usage("--exec \(error.sentence)\(remedy)", see: .hooks)
    }
    return try command(words: words)
  }

  /// The words of a command that is not empty. If the program is in the current folder, its
  /// absolute path is used.
  static func command(words: [String]) throws(CommandError) -> [String] {
    var words = words
    guard let program = words.first, !program.isEmpty else {
      throw .usage("the command after -- has no program in it")
    }
    if program.contains("/") { words[0] = absolute(program) }
    guard !words[0].contains("/") || !ProgramFile.isFolder(words[0]) else {
      throw .usage(
        "\(words[0]) is a folder; begin --exec with a program's name, or its file's path")
    }
    return words
  }

  /// The words that run a text in a shell; nil: the text is blank.
  static func shell(_ text: String) -> [String]? {
    text.allSatisfy(\.isWhitespace) ? nil : ShellLine(text).command
  }

  /// The types of events in lists. The types in a list are separated by commas.
  static func events(_ lists: [String]) throws(CommandError) -> [Wire.EventType] {
    var names: [String] = []
    for list in lists {
      let some = list.split(separator: ",").map(String.init)
      guard !some.isEmpty else {
        throw .usage(
          "there is no event in '\(list)'; write some, such as rang,band_crossed", see: .hooks)
      }
      names += some
    }
    let known = Wire.EventType.timerEvent.map(\.rawValue)
    for name in names where !known.contains(name) {
      let near = NearName.nearest(to: name, among: known)
      throw .usage(
        "'\(name)' is no event of a timer; "
          + (near.map { "did you mean \($0)?" }
            ?? "there are \(known.joined(separator: ", "))"),
        see: .hooks)
    }
    return names.map(Wire.EventType.init(rawValue:))
  }

  /// The parts of a ring in lists. The parts in a list have the names of the keys of a preset, and
  /// are separated by commas.
  ///
  /// - Returns: the names of the parts in the interface.
  static func parts(_ lists: [String]) throws(CommandError) -> [String] {
    var parts: [String] = []
    for key in lists.flatMap({ $0.split(separator: ",").map(String.init) }) {
      // A dash is accepted in place of an underscore, because the options have dashes.
      let spelled = key.replacing("-", with: "_")
      guard let form = ringKeys.first(where: { $0.key == spelled }) else {
        let near = NearName.nearest(to: spelled, among: ringKeys.map(\.key))
        throw .usage(
          "command and sound have no part '\(key)'; "
            + (near.map { "did you mean \($0)?" }
              ?? "there are \(ringKeys.map(\.key).joined(separator: ", "))"))
      }
      parts.append(form.path[1])
    }
    guard lists.isEmpty || !parts.isEmpty else {
      throw .usage("--without needs parts of command and sound, such as volume,ring_for")
    }
    return parts
  }

  /// The keys of a preset that belong to a ring.
  static let ringKeys = ShortForm.all(of: .start).filter {
    $0.path.first == "ring" && $0.path.count == 2
  }

  /// The longest run time of a command, in microseconds.
  static func timeout(_ text: String) throws(CommandError) -> Int64 {
    guard let span = try? DurationArgument.parsed(text).span else {
      throw .usage(
        "--exec-timeout takes a time span such as 30s or 5min, not '\(text)'",
        see: .time)
    }
    guard case .usec = span, case let usec = try DurationArgument(text, in: "--exec-timeout").usec,
      RingPlan.problem(timeoutUsec: usec) == nil
    else {
      let longest = SpanFormat.text(usec: Limits.execLongestUsec)
      throw .usage("a command may run for \(longest) at the most, not for \(text)")
    }
    return usec
  }

  /// The variable of a text. The text is `KEY=VALUE`, or `KEY` for the value that the variable has
  /// in this process.
  static func variable(_ text: String) throws(CommandError) -> WireMap<String>.Member {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard !name.isEmpty else { throw .usage("--env needs a name; write --env NAME=VALUE") }
    guard RingPlan.Variable.isName(name) else {
      throw .usage(
        "'\(name)' is no variable for a command: its name has letters, digits and underscores, and "
          + "does not begin with a digit, NIGHTJAR_ or LISTEN_", see: .hooks)
    }
    if parts.count == 2 { return .init(key: name, value: String(parts[1])) }
    guard let value = getenv(name) else {
      throw .usage("\(name) is not set here; write --env \(name)=VALUE")
    }
    return .init(key: name, value: String(cString: value))
  }

  /// A time span for a ring, in microseconds. Zero is allowed.
  static func span(
    _ text: String, option: String, in range: ClosedRange<Int64>
  ) throws(CommandError) -> Int64 {
    guard let parsed = try? DurationArgument.parsed(text), case .usec(let usec) = parsed.span else {
      throw .usage(
        "\(option) takes a time span such as 20s or 5min, not '\(text)'", see: .time)
    }
    guard usec != 0 else { return 0 }
    guard range.contains(Int64(clamping: usec)) else {
      let longest = SpanFormat.text(usec: range.upperBound)
      throw .usage("\(option) goes up to \(longest), and takes whole seconds, not \(text)")
    }
    DurationArgument.remark(onBareNumberIn: parsed, option)
    return Int64(usec)
  }

  /// The volume, within `Limits.volume`.
  static func volume(_ text: String) throws(CommandError) -> Int64 {
    guard let number = Int64(text) else {
      throw .usage("--volume takes a number \(Limits.volumeWords), such as 50, not '\(text)'")
    }
    guard Limits.volume.contains(number) else {
      throw .usage(
        "--volume goes \(Limits.volumeWords), not \(number); for no sound write --silent")
    }
    return number
  }

  /// The name of a built-in sound, or the path of a file that exists.
  static func sound(_ path: String) throws(CommandError) -> String {
    guard !path.isEmpty else {
      throw .usage("--sound needs a file or a name; for no sound write --silent")
    }
    if RingPlan.builtInSounds.contains(path) { return path }
    let path = absolute(path)
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

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    var rest = Substring(path)
    while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
    return "\(String(cString: folder))/\(rest)"
  }
}
