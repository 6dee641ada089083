import Foundation
import Glibc
import NightjarTestSupport

/// The test's end of the guest's second serial line: a root shell, through the agent in the guest
/// (the script `build` has its protocol).
///
/// A serial line works from the first instruction on, needs no driver outside of the kernel, and
/// sleeps and wakes with the machine; a network would have to be set up again.
final class GuestShell: Sendable {
  enum User: String {
    case root
    case tester
  }

  /// QEMU's end, which QEMU inherits.
  let peer: Int32
  private let own: Int32
  private let answers = Happenings<String>()
  private let counter = Counter()

  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0
    var next: Int {
      lock.withLock {
        value += 1
        return value
      }
    }
  }

  init() throws {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw Unmet(description: "socketpair: \(String(cString: strerror(errno)))")
    }
    (own, peer) = (ends[0], ends[1])
    answers.follow(own)
  }

  deinit { shutdown(own, Int32(SHUT_RDWR)) }

  /// Closes QEMU's end here, once QEMU has it: then the end of QEMU ends the line.
  func peerIsPassedOn() { close(peer) }

  /// Waits until a boot has come as far as the agent, and returns that boot's ID.
  func awaitBoot(within seconds: Double) throws -> String {
    let words = try answers.next("the guest's boot", within: seconds) { $0.hasPrefix("ready ") }
    return String(words.dropFirst("ready ".count))
  }

  /// Sends a command, and returns its number; the agent runs commands one after another.
  func send(_ command: String, as user: User) throws -> Int {
    let number = counter.next
    let text = Data(command.utf8).base64EncodedString()
    let line = Array("\(number) \(user.rawValue) \(text)\n".utf8)
    var sent = 0
    while sent < line.count {
      let count = line[sent...].withUnsafeBytes {
        Glibc.send(own, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 || errno == EINTR else {
        throw Unmet(description: "the guest is off; it cannot run \(command)")
      }
      sent += max(0, count)
    }
    return number
  }

  /// Waits for the result of a command.
  func outcome(of number: Int, _ what: String, within seconds: Double) throws -> CommandOutcome {
    let line: String
    do {
      line = try answers.next(what, within: seconds) { $0.hasPrefix("\(number) ") }
    } catch {
      // Without the answers so far, which are in base 64.
      throw Unmet(description: "the guest did not answer within \(seconds) s: \(what)")
    }
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let code = Int32(words[1]),
      let output = Data(base64Encoded: String(words[2]))
    else { throw Unmet(description: "the guest's answer is garbled: \(line)") }
    let text = String(decoding: output, as: UTF8.self)
    return CommandOutcome(code: code, output: text.trimmingCharacters(in: .newlines))
  }
}
