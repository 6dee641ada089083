import ArgumentParser
import Glibc
import NightjarClient

/// A second process that restores the terminal if this process is killed. The second process waits
/// until a pipe is closed.
struct TerminalGuard {
  /// This process's end of the pipe. The kernel closes it when this process ends.
  private let end: Int32
  private let process: ChildProcess

  /// Starts the guard. Nil if that fails; the screen works without a guard.
  init?(terminal: Int32, saved: termios) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    do throws(ChildProcess.Failure) {
      process = try ChildProcess(
        path: "/proc/self/exe",
        arguments: [RestoreTerminal.configuration.commandName ?? "", Self.text(saved)],
        environment: [:], input: .descriptor(ends[0]), output: .descriptor(terminal), errors: nil)
    } catch {
      close(ends[1])
      return nil
    }
    end = ends[1]
  }

  /// Ends the guard without restoring the terminal, because this process has restored it.
  func dismiss() {
    var byte: UInt8 = 1
    write(end, &byte, 1)
    close(end)
    _ = process.wait(until: .after(usec: 1_000_000))
  }

  /// The settings of a terminal, as hexadecimal digits.
  private static func text(_ settings: termios) -> String {
    withUnsafeBytes(of: settings) { bytes in
      bytes.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
    }
  }

  /// The settings of a terminal, from hexadecimal digits; nil: the digits are not valid.
  static func settings(_ text: String) -> termios? {
    let digits = Array(text.utf8)
    guard digits.count == MemoryLayout<termios>.size * 2 else { return nil }
    var settings = termios()
    var isGood = true
    withUnsafeMutableBytes(of: &settings) { bytes in
      for index in bytes.indices {
        let pair = String(decoding: digits[2 * index..<2 * index + 2], as: UTF8.self)
        guard let byte = UInt8(pair, radix: 16) else {
          isGood = false
          return
        }
        bytes[index] = byte
      }
    }
    return isGood ? settings : nil
  }
}

/// The hidden command that the guard runs.
struct RestoreTerminal: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "__restore-terminal", abstract: "Restore a terminal whose screen was killed.",
    shouldDisplay: false)

  @Argument var settings: String

  func run() throws {
    guard var settings = TerminalGuard.settings(settings) else {
      throw CommandError.usage("these are no settings of a terminal")
    }
    var byte: UInt8 = 0
    var count = 0
    repeat { count = read(STDIN_FILENO, &byte, 1) } while count < 0 && errno == EINTR
    guard count == 0 else { return }
    Output.text(ScreenTerminal.leaveSequence)
    tcsetattr(STDOUT_FILENO, TCSADRAIN, &settings)
  }
}
