import ArgumentParser
import NightjarClient

/// A page of the manual, and the word by which `nightjar help` is asked for it.
package struct HelpTopic: Equatable, Sendable {
  /// Such as `start` or `time`.
  let word: String
  /// What the page is called, such as `nightjar-start`.
  let page: String
  /// The section of the manual that the page is in.
  let section: Int
  /// What the page says of itself; empty for a command, which its own help describes.
  let summary: String

  private init(_ word: String, _ page: String, _ section: Int, _ summary: String = "") {
    (self.word, self.page, self.section, self.summary) = (word, page, section, summary)
  }

  /// The page as manuals name it: `nightjar-start(1)`.
  var name: String { "\(page)(\(section))" }

  /// The line behind an error: which page says more, and how to open it.
  var reference: String { "See \(name): nightjar help \(word)" }

  /// The line behind an error that is about no command: where all of them are.
  static let referenceToAll = "See all commands and pages: nightjar help"
}

// MARK: - All topics

extension HelpTopic {
  package static let time = HelpTopic(
    "time", "nightjar.time", 7, "how Nightjar reads spans, points in time and calendars")
  static let configuration = HelpTopic(
    "toml", "nightjar.toml", 5, "the configuration of nightjard and of nightjar's presets")
  static let hooks = HelpTopic(
    "hooks", "nightjar-hooks", 5, "programs that nightjard runs when something happens")

  /// The pages that are about no command. HelpTests compare them with the files.
  static let others = [
    HelpTopic("nightjar", "nightjar", 1, "timers that outlive sleep, suspension and restarts"),
    HelpTopic("daemon", "nightjard", 1, "keep timers while time is hidden"),
    time, configuration, hooks,
    HelpTopic("sessions", "nightjar-sessions", 7, "sessions that only chosen persons see"),
    HelpTopic(
      "phone", "nightjar-phone", 7, "rings on a phone, and buttons there that answer them"),
    HelpTopic(
      "mqtt-scale", "nightjar-mqtt-scale", 7,
      "what machines cost a broker, and a million of them a cluster"),
    HelpTopic(
      "protocol", "org.nightjar.Timers", 7, "what nightjard speaks: its socket and its methods"),
    HelpTopic(
      "promises", "nightjar-promises", 7, "what Nightjar promises, and which tests hold it"),
  ]

  /// The commands, in the order of the help.
  static let commands: [HelpTopic] = Nightjar.configuration.subcommands.compactMap { type in
    let configuration = type.configuration
    guard configuration.shouldDisplay, let name = configuration.commandName else { return nil }
    return HelpTopic(name, "nightjar-\(name)", 1)
  }

  static let all = commands + others

  /// The topic that a word names: by itself, by the name of its page, or by another name of a command.
  init?(named word: String) {
    let word = Invocation.otherNames[word] ?? word
    guard let topic = Self.all.first(where: { $0.word == word || $0.page == word }) else {
      return nil
    }
    self = topic
  }

  /// The command that arguments name, whether or not the others make sense; nil: they name none.
  init?(ofCommandIn arguments: [String]) {
    guard let name = Invocation.commandName(in: arguments),
      let topic = Self.commands.first(where: { $0.word == name })
    else { return nil }
    self = topic
  }
}

// MARK: - Its page

extension HelpTopic {
  /// The page's file, where this program is installed or where it was built; nil: it is in neither.
  var file: String? {
    guard let program = ProcessState.ownExecutable, let slash = program.lastIndex(of: "/") else {
      return nil
    }
    let folder = program[..<slash]
    let installed = "\(folder)/../share/man/man\(section)/\(page).\(section)"
    // The program is in .build/TRIPLE/CONFIGURATION.
    let built = "\(folder)/../../../Sources/Manual/\(page).\(section)"
    // Packages of Debian compress their pages.
    return [installed, "\(installed).gz", built].first(where: Environment.fileExists)
  }
}
