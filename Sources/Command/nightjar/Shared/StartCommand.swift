import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarTime
import NightjarTrust
import Varlink

protocol StartCommand: ParsableCommand {
  var queue: QueueOption { get }
  var format: FormatOption { get }
  var socket: SocketOption { get }

  /// The words of a command after `--`, and the groups of options for settings.
  var command: CommandArguments { get }
  var settings: [any SettingOptions] { get }

  /// The start that the user asks for.
  ///
  /// - Throws: `CommandError`: the arguments are not valid, or not at this time.
  func request(at wall: WallClock) throws(CommandError) -> StartRequest

  /// Checks the arguments for mistakes that do not depend on the time.
  ///
  /// - Returns: the request; nil if the request depends on the time of the start.
  func check(at wall: WallClock) throws(CommandError) -> StartRequest?
}

extension StartCommand {
  /// The settings that the user gave in options, and the command after `--`.
  func values(at wall: WallClock) throws(CommandError) -> SettingValues {
    var values = SettingValues()
    for group in settings { try group.add(to: &values, at: wall) }
    guard !command.command.isEmpty else { return values }
    if let other = [Setting.exec, .shell].first(where: values.has) {
      throw .usage("give a command after --, or --\(other.option), not both")
    }
    values.set(try Notation.command(command.command, "the command after --"), for: .exec)
    return values
  }

  func check(at wall: WallClock) throws(CommandError) -> StartRequest? {
    let request = try request(at: wall)
    // The time of an alarm, and days such as today, are known only when the command runs.
    return request.parameters["alarm"] == nil ? request : nil
  }

  func run() throws {
    let request = try request(at: .here)
    let session = try Session.open(socket, queue)
    let replaced = format.isJSON ? nil : ReplacedTimer(of: request, in: session)
    let reply = try request.reply(of: session)
    if format.isJSON { Output.ready(reply.text) } else { Output.line(try request.echo(reply)) }
    // If the preset cannot be saved, the timer stays started.
    let saved = try request.save(reply)
    guard !format.isJSON else { return }
    if let saved { Output.line(saved) }
    if let loss = try replaced?.loss(by: reply) { Output.line(loss) }
    let timer = try Session.timer(in: reply)
    for remark in remarks(about: timer, in: session) { Output.line(remark) }
  }

  /// What this machine lacks for the timer that was started. Whether it would show or play the ring
  /// is said only to a person at a terminal, and once until it changes.
  private func remarks(about timer: Wire.Timer, in session: Session) -> [String] {
    let isForPerson =
      Terminal.isInteractive && BridgePaths.status(besideDevice: session.path) == nil
    // Without an answer there are no remarks. It is no error, because the timer is started.
    guard timer.clock == .present || isForPerson, let status = try? session.status() else {
      return []
    }
    var remarks: [String] = []
    if timer.clock == .present, !status.presence.seen {
      remarks.append("whether the session is in use is \(status.presence.sentence)")
    }
    if isForPerson, let state = status.ringState, session.ringWarning.text != state,
      let warning = RingText(status.ring).warning(about: timer)
    {
      session.ringWarning.write(state)
      remarks.append(warning)
    }
    return remarks
  }
}

struct StartRequest {
  /// The parameters of `Start`, as a JSON object.
  let parameters: JSONValue
  /// The command as the user would type it again. It is for the advice in the error if there
  /// already is a timer of that name.
  let again: String
  /// A time span by which the existing countdown could be extended, for the same advice.
  var span: String?
  /// The text that the command adds to the line about the started timer.
  var note = ""
  /// The time of an alarm, as the user typed it; nil: the timer is no alarm.
  var typed: String?
  /// Whether the user named the zone of that time.
  var namesZone = false
  /// The name of the last timer whose duration is to be used, and the error if there was no such
  /// timer. Nil if the request has a duration.
  var last: (name: String, refusal: CommandError)?
  /// The preset to save after the start; nil: none is saved.
  var saving: SavedPreset?

  /// - Parameter parameters: the parameters of `Start`. The initializer adds the environment of the
  ///   timer's command.
  /// - Throws: `CommandError` if the options for the timer's command cannot be combined.
  init(
    _ parameters: JSONValue, again: String, span: String? = nil, note: String = ""
  ) throws(CommandError) {
    let completed = try RingCommand.completed(
      parameters, isNew: true, rings: !parameters.says("stopwatch"))
    let start = try CommandError.explaining { () throws(ClientError) in try Wire.Start(completed) }
    self.parameters = JSONValue(start)
    (self.again, self.span, self.note) = (again, span, note)
    if let problem = Self.problem(in: parameters) { throw .usage(problem.reason) }
  }

  /// The reason why the options exclude each other, according to the model; nil: they do not. Only
  /// a start with `wake` or `stopwatch` can have such options. For all others the check is left
  /// out, to save time.
  static func problem(in parameters: JSONValue) -> SpecProblem? {
    guard parameters.says("wake") || parameters.says("stopwatch") else { return nil }
    let spec = try? TimerSpec(
      startParameters: parameters, calendar: ZoneCalendar(local: LocalTime.zone),
      defaults: SpecDefaults())
    return spec?.problem
  }

  var call: Call { call(parameters) }

  private func call(_ parameters: JSONValue) -> Call {
    Call(method: "\(Wire.Start.method)", parameters: parameters)
  }

  /// Starts the timer, and returns the daemon's reply.
  ///
  /// - Throws: `CommandError`: the daemon refuses the start. The error says what to do instead.
  func reply(
    of daemon: some Answering, at wall: WallClock = .here
  ) throws(CommandError) -> JSONValue {
    switch try daemon.change(completed(by: daemon)) {
    case .success(let reply): return reply
    case .failure(.timerExists(let name)): throw try exists(name, in: daemon, at: wall)
    case .failure(.neverElapses):
      throw CommandError(.refused, absence)
    case .failure(let refusal): throw daemon.explained(refusal, isChange: true)
    }
  }

  /// The sentence that says why an alarm would never ring. It is not about a calendar that never
  /// matches, because such a calendar was refused earlier.
  private var absence: String {
    let alarm = parameters["alarm"]
    if let until = alarm?["until"]?.stringValue {
      return "it would never ring: no such time is left up to its last day, \(until); give a later "
        + "day with --until"
    }
    if alarm?["except"]?.arrayValue?.isEmpty == false {
      return "it would never ring: all such days are left out; leave out fewer with --except"
    }
    return
      "it would never ring: its time does not come again; nightjar analyze calendar shows when one comes"
  }

  private func completed(by daemon: some Answering) throws(CommandError) -> Call {
    guard let last else { return call }
    // If the ledger cannot be read, the error asks the user for a duration.
    guard let usec = try? daemon.lastDurationUsec(of: last.name) else { throw last.refusal }
    return call(parameters.setting("duration_usec", .integer(usec)))
  }

  /// The text that confirms the start, such as `tea: 4 min, rings at 14:32:10`. For an alarm, the
  /// text also says whether the alarm repeats.
  func echo(_ reply: JSONValue) throws(CommandError) -> String {
    let started = try Session.timer(in: reply)
    let text = TimerText(started)
    guard reply["created"]?.boolValue ?? true else {
      return "\(started.name): left as it is, \(text.stateAndRemaining)"
    }
    return "\(started.name): \(text.begun(typed: typed, namesZone: namesZone))\(note)"
  }

  /// Saves the preset after the start, if the user gave --save.
  ///
  /// - Returns: the text to print; nil: the user did not give --save, or the start did not change
  ///   an existing timer.
  func save(_ reply: JSONValue) throws(CommandError) -> String? {
    guard let saving, reply["created"]?.boolValue ?? true else { return nil }
    return try saving.save(durationUsec: Session.timer(in: reply).durationUsec)
  }

  private func exists(
    _ name: String, in daemon: some Answering, at wall: WallClock
  ) throws(CommandError) -> CommandError {
    let timer = try daemon.timer(named: name)
    let text = TimerText(timer, nowUsec: wall.nowUsec, zone: wall.zone)
    let word = Quoting.quoted(name)
    var span = span
    if let words = span, (try? ParsedSpan(words)) == nil {
      // Words such as `four minutes` are written with units.
      span = parameters["duration_usec"]?.integerValue.map {
        SpanFormat.text(usec: $0).filter { $0 != " " }
      }
    }
    let extend =
      timer.kind == .countdown && timer.state != .over
      ? span.map { "\(Typed.nightjar) extend \(word) \(Quoting.quoted($0)), " } : nil
    return CommandError(
      .refused,
      "'\(name)' is \(text.stateAndRemaining); use \(Typed.nightjar) restart \(word), "
        + "\(extend ?? "")or \(again) --replace")
  }
}
