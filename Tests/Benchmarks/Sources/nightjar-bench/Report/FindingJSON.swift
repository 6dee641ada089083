internal import Glibc
internal import Varlink

/// Findings as JSON: an object with a list of them, each with its rounds.
enum FindingJSON {
  static func write(_ findings: [Finding], command: String, to path: String) {
    let value: JSONValue = ["command": .string(command), "results": .array(findings.map(json))]
    let text = value.text + "\n"
    guard let file = fopen(path, "we"), fputs(text, file) >= 0, fclose(file) == 0 else {
      fail("\(path) cannot be written")
    }
  }

  static func json(_ finding: Finding) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .string(finding.id)), .init("work", .string(finding.work)),
      .init("unit", .string(finding.unit.rawValue)), .init("ours", numbers(finding.ours)),
    ]
    if let peer = finding.peer {
      members.append(.init("peer", .string(peer.name)))
      members.append(.init("theirs", numbers(peer.theirs)))
    }
    if let ratios = finding.ratios { members.append(.init("ratios", numbers(ratios))) }
    if let cost = finding.processorNsec {
      members.append(.init("processor_nsec", numbers(cost.ours)))
      members.append(.init("their_processor_nsec", numbers(cost.theirs)))
    }
    if let usec = finding.longestPassUsec {
      members.append(.init("longest_pass_usec", .integer(usec)))
    }
    if let why = finding.unmeasured { members.append(.init("not_measured", .string(why))) }
    if let isGood = finding.isGood { members.append(.init("good", .bool(isGood))) }
    return .object(members)
  }

  private static func numbers(_ values: [Double]) -> JSONValue {
    .array(values.map { .double($0) })
  }
}
