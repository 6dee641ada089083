import ArgumentParser
import NightjarClient

/// A page of the manual, and its word for `nightjar help`.
package struct HelpTopic: Equatable, Sendable {
  /// Such as `start` or `time`.
  let word: String
  /// The name of the page, such as `nightjar-start`.
  let page: String
  /// The page's section of the manual.
  let section: Int
  /// One line about the page. Empty for a command, because the command's help has that line.
  let summary: String

  private init(_ word: String, _ page: String, _ section: Int, _ summary: String = "") {
    (self.word, self.page, self.section, self.summary) = (word, page, section, summary)
  }

  /// The page as manuals name it: `nightjar-start(1)`.
  var name: String { "\(page)(\(section))" }

  /// The line after an error. It names the page with more information, and the command that opens
  /// it.
  var reference: String { "See \(name): nightjar help \(word)" }

  /// The line after an error without a page and without a command.
  static let referenceToAll = "See all commands and pages: nightjar help"
}

// MARK: - All topics

extension HelpTopic {
  package static let time = HelpTopic(
    "time", "nightjar.time", 7, "how Nightjar reads spans, points in time and calendars")
  static let configuration = HelpTopic(
    "toml", "nightjar.toml", 5, "the configuration of nightjard and of nightjar's presets")
  static let hooks = HelpTopic(
    "hooks", "nightjar-hooks", 5, "programs that nightjard runs on events")

  /// The pages that are about no command. HelpTests compare them with the files.
  static let others = [
    HelpTopic("nightjar", "nightjar", 1, "timers that outlive sleep, suspension and restarts"),
    HelpTopic(
      "daemon", "nightjard", 1, "the daemon that keeps timers through sleep, reboots and crashes"),
    time, configuration, hooks,
    HelpTopic("sessions", "nightjar-sessions", 7, "sessions that only chosen persons see"),
    HelpTopic(
      "phone", "nightjar-phone", 7, "rings on a phone, and buttons to answer them there"),
    HelpTopic(
      "mqtt-scale", "nightjar-mqtt-scale", 7,
      "the load of many machines on a broker, and on a cluster"),
    HelpTopic(
      "protocol", "org.nightjar.Timers", 7,
      "the interface of nightjard: its socket and its methods"),
    HelpTopic(
      "promises", "nightjar-promises", 7, "what Nightjar promises, and which tests check it"),
  ]

  /// The commands, in the order of the help.
  static let commands: [HelpTopic] = Nightjar.configuration.subcommands.compactMap { type in
    let configuration = type.configuration
    guard configuration.shouldDisplay, let name = configuration.commandName else { return nil }
    return HelpTopic(name, "nightjar-\(name)", 1)
  }

  static let all = commands + others

  /// The topic for a word: its own word, the name of its page, or another name of a command.
  init?(named word: String) {
    let word = Invocation.otherNames[word] ?? word
    guard let topic = Self.all.first(where: { $0.word == word || $0.page == word }) else {
      return nil
    }
    self = topic
  }

  /// The topic of the command in the arguments, even if other arguments are wrong. Nil: they have
  /// no command.
  init?(ofCommandIn arguments: [String]) {
    guard let name = Invocation.commandName(in: arguments),
      let topic = Self.commands.first(where: { $0.word == name })
    else { return nil }
    self = topic
  }
}

// MARK: - Its page

extension HelpTopic {
  /// The page's file: installed with this program, or in the tree in which it was built. Nil: there
  /// is neither.
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
