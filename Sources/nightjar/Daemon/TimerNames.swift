import NightjarClient
import NightjarVarlink

/// The names that a person may mean: of the first timers, as nobody chooses from more.
enum TimerNames {
  private static let limit = 1_000

  /// - Parameter isMeant: whether a timer is one of those; all are unless it is given.
  /// - Returns: in no particular order.
  static func read(
    from connection: Connection, deadline: Deadline,
    where isMeant: (JSONValue) -> Bool = { _ in true }
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
      names += (page["timers"]?.arrayValue ?? []).filter(isMeant).compactMap {
        $0["name"]?.stringValue
      }
      after = page["next"]?.integerValue
    } while after != nil && names.count < limit
    return names
  }
}
