internal import NightjarSystem
internal import NightjarTrust

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

  /// The arguments of `nightjar` for a text: those of `start`, or of the command with which the
  /// text begins.
  ///
  /// - Parameter name: the timer for which the text arrived; nil: the text contains the name.
  static func words(_ text: String, for name: String?) -> Words {
    guard var words = split(text) else {
      return .refused("a quotation mark has no other one; write \"my tea\" 4min")
    }
    guard !words.isEmpty else { return .refused("write how long, such as 4min") }
    // Refuse all options, and so `--exec`: the network must not choose the commands that run on
    // this machine.
    if let option = words.first(where: { $0.hasPrefix("-") }) {
      return .refused("options such as \(option) are not taken here; write a name and a time")
    }
    var command = "start"
    if ["start", "alarm"].contains(words[0].lowercased()) {
      command = words.removeFirst().lowercased()
      guard !words.isEmpty else {
        return .refused(
          command == "start" ? "write how long, such as 4min" : "write when, such as alarm 7:00")
      }
    }
    return .words(
      [command] + (name.map { [$0] } ?? []) + words + (name == nil ? [] : ["--replace"]))
  }

  /// Splits a text into words as a shell does, with both kinds of quotation marks. Other special
  /// characters of a shell have no meaning.
  ///
  /// - Returns: nil if a closing quotation mark is missing.
  private static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var mark: Character?
    for character in text {
      if let open = mark {
        if character == open { mark = nil } else { word?.append(character) }
      } else if character == "\"" || character == "'" {
        mark = character
        word = word ?? ""
      } else if character == " " || character.isNewline || character == "\t" {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return mark == nil ? words : nil
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
