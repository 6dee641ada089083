import ArgumentParser
import NightjarConfig
import Varlink

extension Mqtt {
  struct Acl: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "acl",
      abstract: "Print the rights of each person at the broker, as a file for mosquitto.",
      discussion: """
        TABLE (- for standard input) is a TOML file with the persons and their groups:

          persons = ["alex", "kim"]
          [groups]
          runners = ["alex", "kim"]
          [home_assistant]
          home = ["alex", "kim"]

        The name of a person is also the person's user name at the broker. A person reads and \
        writes the topics of the person's own machines. The members of a group read all topics of \
        the group. Each member writes only those topics of the group that have the member's name. \
        A Home Assistant is a separate user, here home; it shows the machines of the listed \
        persons. No other user may read or write anything.

        With --check the command prints nothing if FILE gives the same rights, and otherwise one \
        sentence for each difference; see nightjar-mqtt(1).
        """)

    private static let maximumBytes = ConfigFile.maximumBytes

    @Argument(
      help: ArgumentHelp("The table of persons and groups.", valueName: "table"),
      completion: .file())
    var table: String

    @Option(
      help: ArgumentHelp(
        "Print only the differences between the rights in this file and those of the table.",
        valueName: "file"), completion: .file())
    var check: String?

    func run() throws {
      if table == InputFile.standardInput, check == InputFile.standardInput {
        throw CommandError.usage("only one of the two can be standard input; give a path for one")
      }
      let bytes = try InputFile.read(table, limit: Self.maximumBytes)
      let persons: PersonsTable
      do throws(ConfigError) {
        persons = try PersonsTable(bytes, path: InputFile.name(table))
      } catch {
        throw CommandError.usage(error.description)
      }
      guard let check else {
        // The head contains a path, which may need escaping. The topics are not escaped, because
        // they must be exactly those of the table.
        return Output.ready(
          Self.head(table).map { VisibleText.visible($0) } + AccessList(persons).lines)
      }
      let file = AccessList(mosquitto: try InputFile.read(check, limit: Self.maximumBytes))
      try report(file.differences(from: persons, called: InputFile.name(table)), on: check)
    }

    /// The comment lines at the beginning of the output.
    private static func head(_ table: String) -> [String] {
      [
        "Rights of persons and groups, from \(InputFile.name(table)) by nightjar mqtt acl.",
        "To change them, change the table and print this file anew.",
        "In mosquitto.conf: allow_anonymous false, password_file PATH, acl_file PATH.",
        "mosquitto reads this file again on SIGHUP (systemctl reload mosquitto).",
      ].map { "# \($0)" }
    }

    private func report(_ differences: [AccessDifference], on path: String) throws(CommandError) {
      guard !differences.isEmpty else { return }
      let name = InputFile.name(path)
      Output.lines(
        differences.map { difference in
          let line = difference.line.map { ", line \($0)" } ?? ""
          return "\(name)\(line): \(difference.sentence)"
        })
      // The error about unknown lines comes first, because with such a file mosquitto 2.0 is most
      // dangerous.
      if differences.contains(where: { $0.kind == .unknown }) {
        throw CommandError(
          .refused,
          "mosquitto does not start with \(name), and after SIGHUP it lets every user read and "
            + "write everything; correct the file first")
      }
      throw CommandError(
        .refused,
        "\(name) does not give the same rights as \(InputFile.name(table)); "
          + "\(Typed.nightjar) mqtt acl \(Quoting.quoted(table)) prints those of the table")
    }
  }
}
