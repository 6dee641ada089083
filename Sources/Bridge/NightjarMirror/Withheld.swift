internal import Varlink

/// Removes data from timers and events that must not leave the machine: commands, their output,
/// environments, and paths.
enum Withheld {
  private static let members: Set<String> = [
    "command", "environment", "exec", "failure", "last_lines", "reason",
  ]
  /// Members with content of the user, in which a member of any name may occur.
  private static let own: Set<String> = ["data", "labels"]

  /// A value without the members that must not leave the machine, also inside arrays and objects.
  /// O(n).
  static func removed(from value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): .array(elements.map(removed))
    case .object(let members): .object(members.compactMap(removed))
    case .null, .bool, .integer, .double, .string: value
    }
  }

  private static func removed(from member: JSONValue.Member) -> JSONValue.Member? {
    if own.contains(member.key) { return member }
    if members.contains(member.key) || member.value.isNull { return nil }
    // Of a ring, only the member that says whether it is silent is published.
    guard member.key == "ring" else {
      return JSONValue.Member(member.key, removed(from: member.value))
    }
    guard member.value["silent"]?.boolValue == true else { return nil }
    return JSONValue.Member("ring", ["silent": true])
  }

  /// The reply to `Status` without paths. From `storage`, the members that can contain a path are
  /// removed. The reasons in other members stay, because they explain failures.
  static func pathsRemoved(fromStatus status: JSONValue) -> JSONValue {
    .object(
      (status.objectValue ?? []).map { member in
        guard member.key == "storage" else { return member }
        let storage = (member.value.objectValue ?? []).compactMap { part -> JSONValue.Member? in
          switch part.key {
          case "set_aside", "loss", "reason": nil
          // Clients require this member, so it stays with an empty text.
          case "state_directory": JSONValue.Member(part.key, "")
          default: part
          }
        }
        return JSONValue.Member(member.key, .object(storage))
      })
  }
}
