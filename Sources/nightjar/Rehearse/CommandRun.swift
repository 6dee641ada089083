import Glibc
import NightjarClient
import NightjarConfig
import NightjarWire

/// A command, run to its end or that of its time, with the beginning of what it printed. If a signal
/// would end this process meanwhile, the command is ended first.
struct CommandRun {
  enum Outcome: Equatable {
    case exited(Int32)
    case signalled(Int32)
    case timedOut
    case notStarted(String)

    init(_ end: ChildProcess.End) {
      switch end {
      case .exited(let status): self = .exited(status)
      case .signalled(let number): self = .signalled(number)
      // Nobody else waits for it.
      case .unknown: self = .exited(-1)
      }
    }

    /// As the entry of a ledger has it.
    var members: [JSONValue.Member] {
      switch self {
      case .exited(let status):
        [Self.member(.exited), .init("exit_status", .integer(Int64(status)))]
      case .signalled(let number):
        [Self.member(.signalled), .init("signal", .integer(Int64(number)))]
      case .timedOut: [Self.member(.timedOut)]
      case .notStarted(let why):
        [Self.member(.notStarted), .init("reason", .string(why))]
      }
    }

    private static func member(_ outcome: ActionOutcome) -> JSONValue.Member {
      .init("outcome", .string(outcome.rawValue))
    }

    var sentence: String {
      switch self {
      case .exited(let status): "exit status \(status)"
      case .signalled(let number): "was ended by signal \(number)"
      case .timedOut: "took too long, and was ended"
      case .notStarted(let why): "could not be started: \(why)"
      }
    }
  }

  /// What a command is told to ask, and cannot: it must not change the timers that there are.
  static let noSocket = "/dev/null/rehearsal"
  /// So much of what it prints is kept, in bytes.
  private static let keptBytes = 4096
  /// So often its end is looked for, in milliseconds, and so long it has when it was asked to end.
  private static let (lookMsec, graceUsec): (Int32, Int64) = (10, 1_000_000)

  private(set) var outcome = Outcome.timedOut
  private(set) var output = ""
  /// How much more it printed, in bytes.
  private(set) var droppedBytes: Int64 = 0

  private var printed: [UInt8] = []

  /// Runs it.
  ///
  /// - Parameters:
  ///   - exec: its words, with the program.
  ///   - environment: what it finds beside what is there anyway.
  ///   - limitUsec: how long it may run.
  init(_ exec: [String], environment: [String: String], limitUsec: Int64) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      outcome = .notStarted(SystemError.words(errno))
      return
    }
    defer { close(ends[0]) }
    let signals = HeldSignals()
    let child: ChildProcess
    do throws(NotStarted) {
      defer { close(ends[1]) }
      child = try Self.start(exec, environment: environment, output: ends[1])
    } catch {
      signals.release()
      outcome = .notStarted(error.reason)
      return
    }
    run(child, output: ends[0], limitUsec: limitUsec, signals)
    output = String(decoding: printed, as: UTF8.self)
  }

  private mutating func run(
    _ child: ChildProcess, output: Int32, limitUsec: Int64, _ signals: HeldSignals
  ) {
    let deadline = Deadline.after(usec: limitUsec)
    // What it has left running may print on: only its own end counts.
    while true {
      let end = child.end()
      read(output, msec: end == nil ? Self.lookMsec : 0)
      if let end {
        outcome = Outcome(end)
        return signals.release()
      }
      if let number = signals.received() {
        self.end(child, output: output)
        return signals.release(raising: number)
      }
      if deadline.hasPassed { break }
    }
    end(child, output: output)
    signals.release()
  }

  /// Ends it and all of its group.
  private mutating func end(_ child: ChildProcess, output: Int32) {
    var hasEnded = false
    for number in [SIGTERM, SIGKILL] {
      kill(-child.id, number)
      let deadline = Deadline.after(usec: Self.graceUsec)
      while !deadline.hasPassed {
        if !hasEnded { hasEnded = child.end() != nil }
        // Whoever has ended is in no group once somebody was told.
        if hasEnded, kill(-child.id, 0) != 0 { return read(output, msec: 0) }
        read(output, msec: Self.lookMsec)
      }
    }
  }

  /// Takes what is there, and keeps as much of it as there is room for.
  private mutating func read(_ descriptor: Int32, msec: Int32) {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, msec) > 0 else { return }
    guard wanted.revents & Int16(POLLIN) != 0 else {
      // Nobody can print any more, but it has not ended.
      poll(nil, 0, msec)
      return
    }
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = max(0, Glibc.read(descriptor, &piece, piece.count))
    let kept = min(count, Self.keptBytes - printed.count)
    printed += piece[..<kept]
    droppedBytes += Int64(count - kept)
  }
}

// MARK: - Its beginning

extension CommandRun {
  /// Why it was not started, as the daemon says it.
  private struct NotStarted: Error {
    let reason: String
  }

  /// Starts it where the daemon would.
  private static func start(
    _ exec: [String], environment: [String: String], output: Int32
  ) throws(NotStarted) -> ChildProcess {
    let home = environment["HOME"] ?? Environment.valueOrHome("HOME") ?? "/"
    let search = environment["PATH"] ?? Environment.value("PATH")
    let path: String
    do throws(ProgramFile.Obstacle) {
      path = try ProgramFile(exec[0], search: search, in: home).path()
    } catch {
      throw NotStarted(reason: error.sentence)
    }
    // A child begins where its parent is.
    let here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer {
      if here >= 0 {
        _ = fchdir(here)
        close(here)
      }
    }
    guard chdir(home) == 0 else {
      throw NotStarted(reason: "it cannot begin in \(home): \(SystemError.words(errno))")
    }
    do throws(ChildProcess.Failure) {
      return try ChildProcess(
        path: path, name: exec[0], arguments: Array(exec.dropFirst()), environment: environment,
        output: .descriptor(output), errors: .descriptor(output))
    } catch {
      let obstacle = ProgramFile.Obstacle(execution: error.code)
      throw NotStarted(reason: obstacle?.sentence ?? "\(error)")
    }
  }
}

/// The signals with which somebody ends a command, held back for as long as it has something to end
/// itself.
private struct HeldSignals {
  private var held = sigset_t()
  private var before = sigset_t()

  /// Holds them back; not those that are ignored, by nohup(1) for one.
  init() {
    sigemptyset(&held)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !Self.isIgnored(number) {
      sigaddset(&held, number)
    }
    pthread_sigmask(SIG_BLOCK, &held, &before)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // SIG_IGN of signal(7) is 1, which no function is at.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// One that came; nil: none has.
  func received() -> Int32? {
    var (set, atOnce) = (held, timespec())
    let number = sigtimedwait(&set, nil, &atOnce)
    return number > 0 ? number : nil
  }

  /// Lets them through again, and does to this process what one of them would have done.
  func release(raising number: Int32? = nil) {
    if let number { raise(number) }
    var mask = before
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }
}
