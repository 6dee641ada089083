internal import Glibc
internal import NightjarWire

/// Results as JSON: an object with a list of them, each with its rounds.
enum ResultJSON {
  /// Writes them to a file.
  static func write(_ results: [Result], command: String, to path: String) {
    let value: JSONValue = [
      "command": .string(command), "results": .array(results.map(json)),
    ]
    let text = value.text + "\n"
    guard let file = fopen(path, "we"), fputs(text, file) >= 0, fclose(file) == 0 else {
      fail("\(path) cannot be written")
    }
  }

  /// One of them.
  static func json(_ result: Result) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .string(result.id)), .init("work", .string(result.work)),
      .init("unit", .string(result.unit.rawValue)), .init("ours", numbers(result.ours)),
    ]
    if let peer = result.peer {
      members.append(.init("peer", .string(peer.name)))
      members.append(.init("theirs", numbers(peer.theirs)))
    }
    if let ratios = result.ratios { members.append(.init("ratios", numbers(ratios))) }
    if let cost = result.processorNsec {
      members.append(.init("processor_nsec", numbers(cost.ours)))
      members.append(.init("their_processor_nsec", numbers(cost.theirs)))
    }
    if let usec = result.longestPassUsec {
      members.append(.init("longest_pass_usec", .integer(usec)))
    }
    if let why = result.unmeasured { members.append(.init("not_measured", .string(why))) }
    if let isGood = result.isGood { members.append(.init("good", .bool(isGood))) }
    return .object(members)
  }

  private static func numbers(_ values: [Double]) -> JSONValue {
    .array(values.map { .double($0) })
  }
}
