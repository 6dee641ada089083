import CLinux
import Glibc
import NightjarModel

/// A program that plays a sound: a child process that nobody waits for, and that has a time limit.
public final class PlayerProcess {
  /// How it ended.
  public enum End: Equatable, Sendable {
    case exited(Int32)
    case killed(Int32)
    /// It was ended at its time limit.
    case timedOut
    /// It was ended by `stop`.
    case stopped
  }

  /// So much of what it says is kept, in bytes: a sentence.
  private static let saidBytes = 512

  private let pid: Int32
  private let output: OutputPipe
  private let onEnd: (End, String) -> Void
  private var source: Source?
  private var limit: TimerSource?
  /// Why it is being ended; nil: it is not.
  private var ending: End?

  /// Starts a program. It lives on when this is let go of, and is then nobody's.
  ///
  /// - Parameters:
  ///   - input: its standard input; nil: that is empty.
  ///   - limitUsec: so long it may take.
  ///   - onEnd: called once, in a later pass, with how it ended and the first line that it said.
  public init(
    _ program: Program, input: Int32? = nil, limitUsec: Int64, on loop: EventLoop,
    onEnd: @escaping (End, String) -> Void
  ) throws(SystemError) {
    self.onEnd = onEnd
    output = try OutputPipe()
    pid = try program.spawn(output: output.writingEnd, input: input)
    output.closeWriting()
    do {
      source = try loop.watchChild(pid) { [unowned self] in ended($0) }
      limit = try loop.timer(on: .monotonic) { [unowned self] in reachedLimit() }
      limit?.arm(atUsec: loop.now.monotonicUsec + limitUsec)
    } catch {
      Program.signal(group: pid, SIGKILL)
      throw error
    }
  }

  deinit {
    source?.cancel()
    limit?.cancel()
  }

  /// Ends it, with all that it has started, unless it has come to its end.
  public func stop() { end(.stopped) }

  private func reachedLimit() { end(.timedOut) }

  private func end(_ ending: End) {
    // Once it has been waited for, the number may be another's.
    guard source != nil else { return }
    self.ending = ending
    Program.signal(group: pid, SIGKILL)
  }

  private func ended(_ how: ChildEnd) {
    source?.cancel()
    source = nil
    limit?.cancel()
    let end: End =
      switch how {
      case .exited(let status): .exited(status)
      case .killed(let signal): .killed(signal)
      }
    onEnd(ending ?? end, firstLine())
  }

  /// Only of what is there: whoever has got hold of its output may live on.
  private func firstLine() -> String {
    guard case .bytes(let bytes) = output.read(upTo: Self.saidBytes) else { return "" }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    return lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
