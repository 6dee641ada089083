import ArgumentParser
import NightjarClient

/// A page of the manual, and the word with which `nightjar help` opens it.
package struct HelpTopic: Equatable, Sendable {
  /// The word of the page, such as `start` or `time`.
  let word: String
  /// The name of the page, such as `nightjar-start`.
  let page: String
  /// The section of the manual to which the page belongs.
  let section: Int
  /// The summary of the page, in one line. Empty for a command, because the command's help has the
  /// summary.
  let summary: String

  private init(_ word: String, _ page: String, _ section: Int, _ summary: String = "") {
    (self.word, self.page, self.section, self.summary) = (word, page, section, summary)
  }

  /// The name and section of the page, as manuals write them, such as `nightjar-start(1)`.
  var name: String { "\(page)(\(section))" }

  /// The line after an error. It names the page with more information, and the command that opens
  /// it.
  var reference: String { "See \(name): nightjar help \(word)" }

  /// The line after an error that has no page, if the user typed no command.
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

  /// The pages that do not describe a command. HelpTests compares them with the files of the
  /// manual.
  static let others = [
    HelpTopic("nightjar", "nightjar", 1, "timers that outlive sleep, suspension and restarts"),
    HelpTopic(
      "daemon", "nightjard", 1, "the daemon that keeps timers through sleep, reboots and crashes"),
    time, configuration, hooks,
    HelpTopic(
      "analyze", "nightjar-analyze", 1, "show how Nightjar reads times, like systemd-analyze"),
    HelpTopic("sessions", "nightjar-sessions", 7, "sessions that only chosen persons see"),
    HelpTopic("faces", "nightjar-faces", 7, "timers in panels and launchers of desktops"),
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

  /// The pages that describe the commands, in the order of the help.
  static let commands: [HelpTopic] = Nightjar.configuration.subcommands.compactMap { type in
    let configuration = type.configuration
    guard configuration.shouldDisplay, let name = configuration.commandName else { return nil }
    return HelpTopic(name, "nightjar-\(name)", 1)
  }

  static let all = commands + others

  /// The topic for a word. The word may be that of the topic, the name of the page, or another name
  /// of a command.
  init?(named word: String) {
    let word = Invocation.ownName(word)
    guard let topic = Self.all.first(where: { $0.word == word || $0.page == word }) else {
      return nil
    }
    self = topic
  }

  /// The topic of the command in the arguments; nil: they contain no command. Other arguments may
  /// be wrong.
  init?(ofCommandIn arguments: [String]) {
    guard let name = Invocation.commandName(in: arguments),
      let topic = Self.commands.first(where: { $0.word == name })
    else { return nil }
    self = topic
  }
}

// MARK: - Its page

extension HelpTopic {
  /// The path of the page's file, which is installed with this program, or is in the tree in which
  /// this program was built. Nil if there is no such file.
  var file: String? {
    guard let program = ProcessState.ownExecutable, let slash = program.lastIndex(of: "/") else {
      return nil
    }
    let folder = program[..<slash]
    let installed = "\(folder)/../share/man/man\(section)/\(page).\(section)"
    // A program that is not installed is in .build/TRIPLE/CONFIGURATION of the tree.
    let built = "\(folder)/../../../Sources/Manual/\(page).\(section)"
    // Packages of Debian compress their pages.
    return [installed, "\(installed).gz", built].first(where: Environment.fileExists)
  }
}
