import ArgumentParser
import NightjarClient
import NightjarConfig
import NightjarParameters
import NightjarTime
import Varlink

/// The hidden command `__complete`, which the completion scripts run. It starts no daemon, prints
/// only names, and gives up quickly.
struct Complete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "__complete", abstract: "List what a shell may complete.", shouldDisplay: false)

  /// The longest time to wait for the daemon, in microseconds. It is short, because the user has
  /// just pressed Tab.
  private static let timeoutUsec: Int64 = 40_000

  @Argument var subject: Subject
  /// The command whose arguments are completed. Only timers on which that command can act are
  /// offered.
  @Option var verb: String?
  @Option(name: .customLong("for")) var shell: Shell?
  /// The words before the word to complete, without their quotes. In bash, `line` contains them.
  @Option var given: [String] = []
  /// The word to complete: in bash and fish as typed, in zsh without its quotes.
  @Argument var word = ""
  /// The line up to the cursor, in bash.
  @Argument var line = ""
  /// Whether `--` stands before the word to complete. If it does, the word is an argument, even if
  /// it begins with a dash.
  @Flag var literal = false
  @OptionGroup var socket: SocketOption

  enum Subject: String, ExpressibleByArgument, CaseIterable {
    case names
    case presets
    case zones
    /// The built-in sounds. The files that are valid as well are completed by the shell.
    case sounds

    /// Whether the path of a file is a valid value as well.
    var hasFiles: Bool { self == .sounds }
  }

  func run() throws {
    switch subject {
    case .names: try listTimers()
    case .presets: listPresets()
    case .zones: list(ZoneDatabase.names)
    case .sounds: list(RingPlan.builtInSounds)
    }
  }

  private func listPresets() {
    do throws(ConfigError) {
      list(try Presets.read().names)
    } catch {
      // Errors in the file are not reported: a message would disturb the line that the user edits.
    }
  }

  private func listTimers() throws {
    guard let path = socket.path ?? Environment.socketPath else { return }
    let deadline = try CallTimeout(usualUsec: Self.timeoutUsec).deadline
    do throws(ClientError) {
      let connection = try Connection(path: path, deadline: deadline)
      let names = try TimerNames.read(from: connection, deadline: deadline, where: isIncluded)
      var words = self.given + UnfinishedWord(line: line, replaced: word).wordsBefore
      // The first `--` ends the options. A second one may be a timer's name.
      if let terminator = words.firstIndex(of: "--") { words.remove(at: terminator) }
      let given = Set(words)
      list(names.filter { !given.contains($0) }.sorted())
    } catch {
      // Without a daemon there are no names: an error would disturb the line that the user edits.
    }
  }

  /// Whether the command in `verb` can act on a timer in the timer's present state.
  private var isIncluded: (JSONValue) -> Bool {
    let verb = verb.map(Invocation.ownName)
    if verb == Wait.configuration.commandName {
      // Waiting for a stopwatch, which never rings, or for a cancelled timer is refused.
      return { json in
        guard let timer = try? Wire.Timer(json) else { return true }
        return timer.kind != .stopwatch && timer.state != .cancelled
      }
    }
    // Parses the command with a name, then with a name and a time span, and uses the first line
    // that is valid. Its request has the conditions on which the command acts on a timer.
    let lines = verb.map { verb in [[verb, "x"], [verb, "x", "1min"]] } ?? []
    let parsed = lines.lazy.compactMap { try? Program.parsedCommand($0) as? any ChangeCommand }
    guard let request = parsed.compactMap({ try? $0.request(at: .here) }).first else {
      return { _ in true }
    }
    return { json in
      guard let timer = try? Wire.Timer(json) else { return true }
      return Selection.means(timer, states: request.states, isFor: request.isFor)
    }
  }

  private func list(_ all: [String]) {
    // Names that begin with a dash are left out: `--all` would be an option even in quotes. Names
    // with control characters are left out as well: such a character would end the line, or act as
    // a key press. Only presets can have such names.
    let names = all.filter { name in
      (literal || name.utf8.first != UInt8(ascii: "-"))
        && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
    switch shell {
    case .bash: Output.ready(UnfinishedWord(line: line, replaced: word).completions(among: names))
    case .zsh:
      let (unsafe, plain) = (names.filter(VisibleText.hasUnsafe), names.filter(Self.isVisible))
      let begun = unsafe.filter { $0.unicodeScalars.starts(with: word.unicodeScalars) }
      Output.ready(plain + begun.map { "\t" + Quoting.inDollarQuotes($0) })
    case .fish:
      // fish does not quote a leading tilde, so such a name is offered only if the user began it
      // with a quote or a backslash. fish prints unsafe characters without escaping them, so names
      // with such characters are left out.
      let isQuoted = word.utf8.first.map { "'\"\\".utf8.contains($0) } ?? false
      Output.ready(
        names.filter { Self.isVisible($0) && (isQuoted || $0.utf8.first != UInt8(ascii: "~")) })
    case nil: Output.ready(names.filter(Self.isVisible))
    }
  }

  private static func isVisible(_ name: String) -> Bool { !VisibleText.hasUnsafe(name) }
}
