import NightjarClient
import Varlink

/// Reads names of timers, to suggest one to the user. It reads at most about a thousand, because a
/// suggestion from more names is not worth the wait.
enum TimerNames {
  private static let limit = 1_000

  /// - Parameter isIncluded: whether a timer qualifies; by default all do.
  /// - Returns: in no particular order.
  static func read(
    from connection: Connection, deadline: Deadline,
    where isIncluded: (JSONValue) -> Bool = { _ in true }
  ) throws(ClientError) -> [String] {
    var names: [String] = []
    var question = Wire.List()
    repeat {
      let page: JSONValue
      do throws(ClientError) {
        page = try connection.call(Call(question), deadline: deadline)
      } catch {
        // If the time is over, the names that have arrived are used.
        if error == .timedOut { return names }
        throw error
      }
      names += (page["timers"]?.arrayValue ?? []).filter(isIncluded).compactMap {
        $0["name"]?.stringValue
      }
      question.after = page["next"]?.integerValue
    } while question.after != nil && names.count < limit
    return names
  }
}
