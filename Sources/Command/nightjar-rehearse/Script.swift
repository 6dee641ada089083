import Glibc
import NightjarTime
import nightjar

/// A script to rehearse. Each of its lines is a command.
struct Script {
  static let maximumBytes = 1024 * 1024
  private static let mistakesAtOnce = 20

  /// A line with an instruction. Blank lines, lines with only a comment, and the line `at` are no
  /// steps.
  struct Step {
    /// The number of the line. The first line has the number 1.
    let line: Int
    let instruction: Instruction
  }

  /// The file's name in errors.
  let name: String
  let begin: WallClock
  let steps: [Step]

  /// Parses a script.
  ///
  /// - Parameter here: the time and zone of the script, if the script does not set them.
  /// - Throws: `CommandError` with all mistakes, each on a line of its own.
  init(_ text: String, name: String, here: WallClock) throws(CommandError) {
    var begin: WallClock?
    var steps: [Step] = []
    var mistakes: [String] = []
    var isFirst = true
    for (index, text) in Self.lines(text).enumerated() {
      do throws(CommandError) {
        let words = try ScriptLine(text).words
        guard let first = words.first else { continue }
        defer { isFirst = false }
        if first == "at" {
          guard isFirst else {
            throw .usage("at says when the script begins, so it comes first; see wait until")
          }
          begin = try Self.begin(Array(words.dropFirst()), here: here)
        } else {
          let instruction = try Instruction(words, at: begin ?? here)
          steps.append(Step(line: index + 1, instruction: instruction))
        }
      } catch {
        mistakes.append("\(name):\(index + 1): \(error.message)")
      }
    }
    guard mistakes.isEmpty else {
      let more = mistakes.count - Self.mistakesAtOnce
      for mistake in mistakes.prefix(Self.mistakesAtOnce) { Output.complain(mistake) }
      if more > 0 { Output.complain("\(name): and \(more) lines more") }
      throw CommandError(.usage, "")
    }
    self.name = name
    self.begin = begin ?? here
    self.steps = steps
  }

  /// The lines of a text. The text may begin with a byte order mark, and its lines may end in
  /// `\r\n`, because other systems write such files.
  private static func lines(_ text: String) -> [Substring] {
    let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  /// The time and zone from a line such as `at 2026-03-28 23:00 Europe/Berlin`.
  private static func begin(_ words: [String], here: WallClock) throws(CommandError) -> WallClock {
    var words = words
    var wall = WallClock(nowUsec: here.nowUsec, zone: here.zone)
    if words.count > 1, let last = words.last, let zone = ZoneDatabase.zone(named: last) {
      wall.zone = zone
      words.removeLast()
    }
    guard !words.isEmpty else {
      throw .usage("say when: at 2026-03-28 23:00, or at 2026-03-28 23:00 Europe/Berlin")
    }
    let text = words.joined(separator: " ")
    do throws(PhraseProblem) {
      wall.nowUsec = try wall.reader.point(text)
    } catch {
      throw .usage(error.description, see: .time)
    }
    return wall
  }
}

extension Script {
  /// Reads a file, or standard input for `-`.
  ///
  /// - Throws: `CommandError`: the file cannot be read, or is not UTF-8.
  static func read(_ path: String) throws(CommandError) -> (name: String, text: String) {
    let name = path == "-" ? "stdin" : path
    let file = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw CommandError(.refused, "cannot read \(name): \(SystemError.words(errno))")
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw CommandError(.refused, "cannot read \(name): \(SystemError.words(errno))")
      }
      if count == 0 { break }
      bytes += buffer[..<count]
      guard bytes.count <= maximumBytes else {
        throw CommandError(.refused, "\(name) is longer than \(maximumBytes) bytes, for a script")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(.refused, "\(name) is no text in UTF-8")
    }
    return (name, text)
  }
}
