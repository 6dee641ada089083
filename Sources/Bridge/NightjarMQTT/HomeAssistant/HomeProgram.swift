internal import NightjarSystem
internal import NightjarTrust
internal import NightjarWords

/// Carries out a text by running `nightjar`, so that the text has the same meaning as on the
/// command line.
struct HomeProgram {
  /// The result of parsing a text.
  enum Words: Equatable {
    /// The arguments of `nightjar` that carry out the text.
    case words([String])
    /// The text must not be carried out; the value says why.
    case refused(String)
  }

  /// The path of the program `nightjar`.
  let path: String
  let socketPath: String

  /// The program `nightjar` in the folder of the bridge's own program.
  static func beside(_ socketPath: String) -> HomeProgram {
    let own = Note(path: "/proc/self/exe").text ?? ""
    return HomeProgram(path: "\(UnixSocket.parent(of: own))/nightjar", socketPath: socketPath)
  }

  /// The arguments of `nightjar` for a text.
  ///
  /// - Parameter name: the timer for which the text arrived; nil: the text contains the name.
  static func words(_ text: String, for name: String?, at wall: WallClock) -> Words {
    do throws(WordsProblem) {
      let words = try FirstWords.words(of: text)
      // Refuse all options, and so `--exec`: the network must not choose the commands that run on
      // this machine.
      if let option = words.first(where: { $0.hasPrefix("-") }) {
        return .refused("options such as \(option) are not taken here; write a name and a time")
      }
      // Of words that mean nothing, `start` says what is wrong.
      let command = try FirstWords(words, at: wall).command() ?? ["start"] + words
      return .words(command + (name.map { ["--name=\($0)", "--replace"] } ?? []))
    } catch { return .refused(error.sentence) }
  }

  /// The answer to Home Assistant, made from the line that the command printed. The name of the
  /// command is left out, and so is a remedy that names an option.
  private static func answer(_ line: String) -> String {
    let prefix = "nightjar: "
    let said = line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line
    let parts = said.split(separator: ";", maxSplits: 1)
    return parts.count == 2 && parts[1].split(separator: " ").contains { $0.hasPrefix("--") }
      ? String(parts[0]) : said
  }

  /// Runs `nightjar` with these arguments.
  ///
  /// - Parameter done: called with the first line that the command printed.
  func start(
    _ words: [String], limitUsec: Int64, on loop: EventLoop, _ done: @escaping (String) -> Void
  ) throws(SystemError) -> PlayerProcess {
    let environment = OwnEnvironment.assignments(under: ["NIGHTJAR_SOCKET=\(socketPath)"])
    let program = Program(
      path: path, arguments: ["nightjar"] + words, environment: environment, folder: "/")
    return try PlayerProcess(program, limitUsec: limitUsec, on: loop) { end, line in
      done(end == .timedOut ? "the daemon did not answer in time" : Self.answer(line))
    }
  }
}
