import ArgumentParser
import NightjarClient
import NightjarConfig
import NightjarService
import NightjarTime
import NightjarVarlink

/// What the completion scripts ask. It starts no daemon, says nothing but names, and gives up soon.
struct Complete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "__complete", abstract: "List what a shell may complete.", shouldDisplay: false)

  /// A person waits with a finger on a key.
  private static let patienceUsec: Int64 = 40_000

  @Argument var subject: Subject
  /// The command whose arguments are completed: of timers, only those that it is for are offered.
  @Option var verb: String?
  @Option(name: .customLong("for")) var shell: Shell?
  /// The words in front of the one that is completed, without their quotes; bash has them in the line.
  @Option var given: [String] = []
  /// What is being completed: in bash and fish as it was typed, in zsh without its quotes.
  @Argument var word = ""
  /// The line up to the cursor, in bash.
  @Argument var line = ""
  /// `--` stands in front of the word: nothing is taken for an option any more.
  @Flag var literal = false
  @OptionGroup var socket: SocketOption

  enum Subject: String, ExpressibleByArgument, CaseIterable {
    case names
    case presets
    case zones
    /// Those that are built in. Files are the shell's.
    case sounds

    /// Whether a file can stand there as well.
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
      // As below: this is not the moment to tell what is wrong with the file.
    }
  }

  private func listTimers() throws {
    guard let path = socket.path ?? Environment.socketPath else { return }
    let deadline = try Patience(usualUsec: Self.patienceUsec).deadline
    do throws(ClientError) {
      let connection = try Connection(path: path, deadline: deadline)
      let names = try TimerNames.read(from: connection, deadline: deadline, where: isMeant)
      var words = self.given + UnfinishedWord(line: line, replaced: word).wordsBefore
      // The first `--` ends the options. A timer may have that name, too.
      if let terminator = words.firstIndex(of: "--") { words.remove(at: terminator) }
      let given = Set(words)
      list(names.filter { !given.contains($0) }.sorted())
    } catch {
      // No daemon, no names: a shell that completes must not be disturbed by a sentence about it.
    }
  }

  /// Whether the command is for a timer as it is now.
  private var isMeant: (JSONValue) -> Bool {
    let verb = verb.map { Invocation.otherNames[$0] ?? $0 }
    if verb == Wait.configuration.commandName {
      // It refuses a stopwatch, which never rings, and what was cancelled.
      let states: Set<NightjarTimer.State> = [.running, .paused, .waiting, .fired]
      return { json in
        guard let timer = try? NightjarTimer(json) else { return true }
        return timer.kind != .stopwatch && states.contains(timer.state)
      }
    }
    // What a command asks for says which timers it is for: with a name, and a time span where it needs one.
    let lines = verb.map { verb in [[verb, "x"], [verb, "x", "1min"]] } ?? []
    let parsed = lines.lazy.compactMap { try? Program.understood($0) as? any ChangeCommand }
    guard let request = parsed.compactMap({ try? $0.request(at: .here) }).first else {
      return { _ in true }
    }
    return { json in
      guard let timer = try? NightjarTimer(json) else { return true }
      return Selection.means(timer, states: request.states, isFor: request.isFor)
    }
  }

  private func list(_ all: [String]) {
    // No quotes keep `--all` from being an option. Control characters, which only a preset can have in its
    // name, would end the line here or press a key there.
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
      // fish quotes all but a tilde in front, unless it was typed in quotes or behind a backslash. What turns
      // a line it shows as it is.
      let isQuoted = word.utf8.first.map { "'\"\\".utf8.contains($0) } ?? false
      Output.ready(
        names.filter { Self.isVisible($0) && (isQuoted || $0.utf8.first != UInt8(ascii: "~")) })
    case nil: Output.ready(names.filter(Self.isVisible))
    }
  }

  private static func isVisible(_ name: String) -> Bool { !VisibleText.hasUnsafe(name) }
}
