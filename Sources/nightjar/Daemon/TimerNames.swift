import NightjarClient
import NightjarVarlink

/// The names that a person may mean: of the first timers, as nobody chooses from more.
enum TimerNames {
  private static let limit = 1_000

  /// - Returns: in no particular order.
  static func read(
    from connection: Connection, deadline: Deadline
  ) throws(ClientError) -> [String] {
    var names: [String] = []
    var after: Int64?
    repeat {
      let page: JSONValue
      do throws(ClientError) {
        page = try connection.call(.list(after: after), deadline: deadline)
      } catch {
        // What has been read by then is better than nothing.
        if error == .timedOut { return names }
        throw error
      }
      names += (page["timers"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
      after = page["next"]?.integerValue
    } while after != nil && names.count < limit
    return names
  }
}
