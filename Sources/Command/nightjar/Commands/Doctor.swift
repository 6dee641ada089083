import ArgumentParser
import NightjarClient
import Varlink

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the daemon and its setup, and print a remedy for each problem.",
    discussion: """
      The command starts nothing and changes nothing. With --ring the running daemon also shows a \
      notification and plays its sound. The exit status is 1 if there is a fault, and 0 otherwise. \
      Advice is not a fault.
      """)

  @Flag(help: "Ring, to test whether the user would notice.")
  var ring = false

  @Flag(name: .customLong("json"), help: "Print the results as one JSON object.")
  var isJSON = false

  @OptionGroup var socket: SocketOption

  func run() throws {
    if let device = socket.device {
      throw CommandError.usage(
        "doctor examines the machine that it runs on; run nightjar doctor on \(device)")
    }
    let examination = Examination(socket: socket, rings: ring)
    let findings = examination.findings()
    let isSound = !findings.contains { $0.level == .fault }
    if isJSON {
      Output.ready(Self.json(findings, isSound: isSound).text)
    } else {
      Output.ready(Self.lines(findings))
    }
    guard isSound else { throw CommandError(.refused, "") }
  }

  private static func json(_ findings: [Finding], isSound: Bool) -> JSONValue {
    .object([
      .init("ok", .bool(isSound)),
      .init(
        "findings",
        .array(
          findings.map { finding in
            .object(
              [
                .init("check", .string(finding.check)),
                .init("level", .string(finding.level.rawValue)),
                .init("text", .string(finding.text.description)),
              ] + (finding.remedy.map { [.init("remedy", .string($0.description))] } ?? []))
          })),
    ])
  }

  /// The lines of the findings, such as `ok      Socket   /run/user/1000/nightjar/socket`. If a
  /// finding has a remedy, the remedy is on the next line.
  static func lines(_ findings: [Finding]) -> [String] {
    let width = findings.map(\.title.count).max() ?? 0
    let margin = String(repeating: " ", count: 8 + width + 2)
    return findings.flatMap { finding -> [String] in
      let level = finding.level.rawValue.padded(to: 6)
      let head =
        "\(Terminal.styled(level, finding.level.style))  \(finding.title.padded(to: width))"
      return ["\(head)  \(VisibleText.visible(finding.text.description))"]
        + (finding.remedy.map { ["\(margin)→ \(VisibleText.visible($0.description))"] } ?? [])
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
