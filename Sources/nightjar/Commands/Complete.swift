import ArgumentParser
import NightjarClient
import NightjarWire

/// What the completion scripts ask. It starts no daemon, says nothing but names, and gives up soon.
struct Complete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "__complete", abstract: "List what a shell may complete.", shouldDisplay: false)

  /// A person waits with a finger on a key.
  private static let patienceUsec: Int64 = 40_000

  @Argument var subject: Subject
  @Option(name: .customLong("for")) var shell: Shell?
  @OptionGroup var socket: SocketOption

  enum Subject: String, ExpressibleByArgument, CaseIterable {
    case names
  }

  func run() throws {
    guard let path = socket.path ?? Environment.socketPath else { return }
    let deadline = try Patience(usualUsec: Self.patienceUsec).deadline
    do throws(ClientError) {
      let connection = try Connection(path: path, deadline: deadline)
      let names = try TimerNames.read(from: connection, deadline: deadline).sorted()
      Output.lines(names.map { shell?.escaped($0) ?? $0 })
    } catch {
      // No daemon, no names: a shell that completes must not be disturbed by a sentence about it.
    }
  }
}
