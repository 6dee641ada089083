import ArgumentParser
import NightjarClient
import NightjarConfig
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
    case presets
  }

  func run() throws {
    switch subject {
    case .names: try listTimers()
    case .presets: listPresets()
    }
  }

  private func list(_ names: [String]) {
    Output.ready(names.map { shell?.escaped($0) ?? $0 })
  }

  private func listPresets() {
    do throws(ConfigError) {
      list(try Presets.read().names)
    } catch {
      // As below: this is not the moment to tell what is wrong with the file.
    }
  }

  private func listTimers() throws {
    guard let path = socket.path ?? Environment.socketPath else { return }
    let deadline = try Patience(usualUsec: Self.patienceUsec).deadline
    do throws(ClientError) {
      let connection = try Connection(path: path, deadline: deadline)
      list(try TimerNames.read(from: connection, deadline: deadline).sorted())
    } catch {
      // No daemon, no names: a shell that completes must not be disturbed by a sentence about it.
    }
  }
}
