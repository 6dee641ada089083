import Glibc
import NightjarClient
import NightjarConfig
import NightjarCore
import NightjarMethods
import NightjarWire

/// A command that something in a rehearsal calls for.
struct RehearsedCommand {
  /// What it is called for people.
  let title: String
  /// The number of the event.
  let seq: Int64
  /// What became of it; nil: it was not run.
  let run: CommandRun?

  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("command", .string(title)), .init("event_seq", .integer(seq)),
    ]
    if let run {
      members += run.outcome.members
      members.append(.init("output", .string(run.output)))
    }
    return .object(members)
  }
}

/// What events of a rehearsal call for: the timers' own commands and, if they are to be run, hooks.
struct RehearsedCommands {
  /// Whether they are run, and not only told.
  let areRun: Bool
  private let hooks: HookFolder?

  /// - Parameter hooks: the hooks, if commands are to be run; nil: what a timer says is told.
  init(hooks: HookFolder?, areRun: Bool) {
    self.hooks = hooks
    self.areRun = areRun
  }

  /// Runs what an event calls for, one after another.
  func happened(
    _ event: NightjarCore.Event, engine: Engine, at now: Moment,
    tell: (RehearsedCommand) -> Void
  ) {
    let plan = event.subject.flatMap { engine.attachments(of: $0)?.ring }.map { RingPlan($0) }
    let programs = areRun ? hooks?.programs(for: "\(event.typeName)") ?? [] : []
    let isOwn = plan?.runs(on: event) ?? false
    guard isOwn || !programs.isEmpty else { return }
    var environment = plan?.environment ?? []
    environment +=
      ActionEnvironment(
        event, engine: engine, socketPath: CommandRun.noSocket, at: now
      ).variables
    environment.append(RingPlan.Variable(name: "NIGHTJAR_REHEARSAL", value: "1"))
    let variables = Dictionary(environment.map { ($0.name, $0.value) }) { $1 }
    func run(_ exec: [String], isHook: Bool, usec: Int64) {
      let run = areRun ? CommandRun(exec, environment: variables, limitUsec: usec) : nil
      let title = RingPlan.title(of: exec, isHook: isHook)
      tell(RehearsedCommand(title: title, seq: event.seq, run: run))
    }
    if isOwn, let plan {
      run(plan.exec, isHook: false, usec: plan.timeoutUsec ?? Limits.execUsualUsec)
    }
    for program in programs where access(program, X_OK) == 0 {
      run([program], isHook: true, usec: Limits.execUsualUsec)
    }
  }
}

/// A command, run to its end or that of its time, with the beginning of what it printed.
struct CommandRun {
  enum Outcome {
    case exited(Int32)
    case signalled(Int32)
    case timedOut
    case notStarted(String)

    /// The end of a child whose exit code is a shell's: 128 and more for a signal.
    init(code: Int32) { self = code > 128 ? .signalled(code - 128) : .exited(code) }

    /// As the entry of a ledger has it.
    var members: [JSONValue.Member] {
      switch self {
      case .exited(let status):
        [.init("outcome", "exited"), .init("exit_status", .integer(Int64(status)))]
      case .signalled(let number):
        [.init("outcome", "signalled"), .init("signal", .integer(Int64(number)))]
      case .timedOut: [.init("outcome", "timed_out")]
      case .notStarted(let why):
        [.init("outcome", "not_started"), .init("reason", .string(why))]
      }
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

  init(_ exec: [String], environment: [String: String], limitUsec: Int64) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      outcome = .notStarted(SystemError.words(errno))
      return
    }
    defer { close(ends[0]) }
    let child: ChildProcess
    do throws(ChildProcess.Failure) {
      defer { close(ends[1]) }
      child = try ChildProcess(
        searching: exec[0], arguments: Array(exec.dropFirst()), environment: environment,
        output: .descriptor(ends[1]), errors: .descriptor(ends[1]))
    } catch {
      outcome = .notStarted("\(error)")
      return
    }
    var printed: [UInt8] = []
    // What it has left running may print on: only its own end counts.
    func end(until deadline: Deadline) -> Int32? {
      while true {
        let code = child.exitCode()
        Self.read(ends[0], into: &printed, msec: code == nil ? Self.lookMsec : 0)
        if code != nil || deadline.hasPassed { return code }
      }
    }
    if let code = end(until: .after(usec: limitUsec)) {
      outcome = Outcome(code: code)
    } else {
      kill(-child.id, SIGTERM)
      if end(until: .after(usec: Self.graceUsec)) == nil {
        kill(-child.id, SIGKILL)
        _ = end(until: .after(usec: Self.graceUsec))
      }
    }
    output = String(decoding: printed, as: UTF8.self)
  }

  /// Takes what is there, and keeps as much of it as there is room for.
  private static func read(_ descriptor: Int32, into printed: inout [UInt8], msec: Int32) {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, msec) > 0 else { return }
    guard wanted.revents & Int16(POLLIN) != 0 else {
      // Nobody can print any more, but it has not ended.
      poll(nil, 0, msec)
      return
    }
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = max(0, Glibc.read(descriptor, &piece, piece.count))
    printed += piece[..<min(count, keptBytes - printed.count)]
  }
}
