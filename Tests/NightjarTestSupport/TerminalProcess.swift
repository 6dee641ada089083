import Foundation
import Glibc

/// A program on a pseudo-terminal of its own. The terminal is the controlling terminal of the
/// program, so keys such as Ctrl-C send signals to it.
package final class TerminalProcess: @unchecked Sendable {
  package let process: ChildProcess
  private let main: Int32
  /// A descriptor of the terminal. It is kept open for tests that read the terminal's settings
  /// after the program has ended.
  private let side: Int32
  private let condition = NSCondition()
  private var screen: TerminalScreen
  private var isOver = false

  package init(
    _ command: [String], of rig: Rig, environment: [String: String], width: Int = 80,
    height: Int = 24
  ) throws {
    var (main, side): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&main, &side, nil, nil, &size) == 0 else {
      throw Unmet(description: "there is no terminal to be had: errno \(errno)")
    }
    (self.main, self.side) = (main, side)
    firstSettings = Self.settings(of: side)
    for descriptor in [main, side] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    screen = TerminalScreen(width: width, height: height)
    let all = environment.merging(["TERM": "xterm-256color"]) { own, _ in own }
    process = try rig.start(
      ["setsid", "--ctty"] + command, environment: all, descriptors: [0: side, 1: side, 2: side],
      package: "util-linux")
    Thread.detachNewThread { [weak self, main] in
      var chunk = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(main, &chunk, chunk.count)
        guard count > 0, let self else { break }
        condition.withLock {
          screen.write(chunk[..<count])
          condition.broadcast()
        }
      }
      self?.condition.withLock {
        self?.isOver = true
        self?.condition.broadcast()
      }
    }
  }

  deinit {
    process.kill()
    close(side)
    close(main)
  }

  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(main, $0.baseAddress, $0.count) }
  }

  /// Changes the size of the terminal. The program gets SIGWINCH.
  package func resize(width: Int, height: Int) {
    condition.withLock { screen.resize(width: width, height: height) }
    var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(main, UInt(TIOCSWINSZ), &size)
  }

  /// The present settings of the terminal, such as echo and special keys (termios).
  package var settings: [UInt8] { Self.settings(of: side) }

  package let firstSettings: [UInt8]

  private static func settings(of terminal: Int32) -> [UInt8] {
    var settings = termios()
    tcgetattr(terminal, &settings)
    return withUnsafeBytes(of: settings) { Array($0) }
  }

  package var shown: TerminalScreen { condition.withLock { screen } }

  @discardableResult package func awaitScreen(
    _ what: String, within seconds: Double = 20, where isThere: (TerminalScreen) -> Bool
  ) throws -> TerminalScreen {
    let bound = Date(timeIntervalSinceNow: seconds)
    return try condition.withLock {
      while !isThere(screen) {
        guard !isOver, condition.wait(until: bound) else {
          throw Unmet(description: "\(what) is not on the screen:\n\(screen.text)\n---")
        }
      }
      return screen
    }
  }
}
