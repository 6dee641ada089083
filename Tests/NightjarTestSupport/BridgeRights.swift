/// The rights of the users of a broker in the form of nightjar-mqtt(1), for mosquitto's `acl_file`.
package enum BridgeRights {
  /// The first line: each user may read and write the topics of the user's own name.
  private static let first = "pattern readwrite nightjar/%u/#"

  /// The example in nightjar-mqtt(1).
  package static func example() throws -> String {
    let page = try Documentation.text(of: "Sources/Manual/nightjar-mqtt.1")
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let example = lines.drop { $0 != first }.prefix { $0 != ".Ed" }
    guard !example.isEmpty else { throw Unmet(description: "nightjar-mqtt.1 has no example") }
    return example.joined(separator: "\n") + "\n"
  }

  package static func lines(for groups: KeyValuePairs<String, [String]>) -> String {
    var persons: [String] = []
    for member in groups.flatMap({ $0.value }) where !persons.contains(member) {
      persons.append(member)
    }
    var lines = [first]
    for person in persons {
      lines += ["", "user \(person)"]
      let own = groups.filter { $0.value.contains(person) }
      for (name, _) in own {
        lines.append("topic read nightjar/@\(name)/#")
        lines.append("topic write nightjar/@\(name)/+/\(person)/#")
      }
      for mate in persons where mate != person && own.contains(where: { $0.value.contains(mate) }) {
        lines.append("topic read nightjar/\(mate)/+/presence")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
