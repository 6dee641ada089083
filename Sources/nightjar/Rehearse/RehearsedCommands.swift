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
      if run.droppedBytes > 0 {
        members.append(.init("output_dropped_bytes", .integer(run.droppedBytes)))
      }
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
    environment.append(RingPlan.Variable(name: "NIGHTJAR_ATTEMPT", value: "1"))
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
    for program in programs where HookFolder.refusal(of: program) == nil {
      run([program], isHook: true, usec: Limits.execUsualUsec)
    }
  }
}
