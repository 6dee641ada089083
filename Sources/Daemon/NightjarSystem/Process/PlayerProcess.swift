import CLinux
import Glibc
import NightjarModel

/// A program that plays a sound: a child process with a time limit. It ends with this process, so
/// that no sound is left behind if this process is killed.
public final class PlayerProcess {
  public enum End: Equatable, Sendable {
    case exited(Int32)
    case killed(Int32)
    /// This object killed it at its time limit.
    case timedOut
    /// `stop` killed it.
    case stopped
  }

  /// How much of the program's output is used, in bytes: enough for a sentence.
  private static let saidBytes = 512

  private let pid: Int32
  private let output: OutputPipe
  private let onEnd: (End, String) -> Void
  private var source: Source?
  private var limit: TimerSource?
  /// Why the program is being killed; nil: it is not being killed.
  private var ending: End?

  /// Starts a program. If this object is released earlier, the program keeps running, without a
  /// time limit.
  ///
  /// - Parameters:
  ///   - input: the standard input of the program; nil: an empty one.
  ///   - limitUsec: the time limit of the program, in microseconds.
  ///   - onEnd: called once, in a later iteration, with the end of the program and the first line
  ///     of its output.
  public init(
    _ program: Program, input: Int32? = nil, limitUsec: Int64, on loop: EventLoop,
    onEnd: @escaping (End, String) -> Void
  ) throws(SystemError) {
    self.onEnd = onEnd
    output = try OutputPipe()
    pid = try program.spawn(output: output.writingEnd, input: input, endsWithThread: true)
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

  /// Kills the program and all processes of its process group, unless the program has ended.
  public func stop() { end(.stopped) }

  private func reachedLimit() { end(.timedOut) }

  private func end(_ ending: End) {
    // After the program has been waited for, its process ID may belong to another process.
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

  /// Read only the output that is available, and do not wait for its end: another process may have
  /// inherited the pipe and still run.
  private func firstLine() -> String {
    guard case .bytes(let bytes) = output.read(upTo: Self.saidBytes) else { return "" }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    return lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
