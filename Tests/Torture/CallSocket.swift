import Glibc
import NightjarClient
import NightjarTestSupport
import Varlink

/// A connection that sends many calls at once and takes their replies one by one, so that each
/// reply which came before the end of the daemon counts.
final class CallSocket {
  private static let timeoutMsec: Int32 = 20_000

  private let connection: VarlinkConnection

  init(path: String) throws {
    do throws(ConnectFailure) {
      connection = try VarlinkConnection(path: path, msec: -1)
    } catch {
      throw Unmet(description: "connect to \(path): \(String(cString: strerror(error.code)))")
    }
  }

  /// Sends calls. What a daemon that has ended does not take is not sent.
  func send(_ calls: [Call]) {
    for call in calls { connection.write(call.method, call.parameters) }
    connection.flushAll()
  }

  /// The next reply; nil once the daemon has ended.
  ///
  /// - Throws: `Unmet` if it neither answers nor ends.
  func reply() throws -> VarlinkReply? {
    while true {
      if let reply = try connection.nextReply() { return reply }
      if connection.isBroken || connection.hasInputEnded { return nil }
      guard connection.wait(msec: Self.timeoutMsec) else {
        throw Unmet(description: "the daemon does not answer")
      }
    }
  }
}
