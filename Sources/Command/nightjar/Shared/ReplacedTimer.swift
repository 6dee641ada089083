import NightjarClient
import Varlink

/// The timer that a start with --replace will replace.
struct ReplacedTimer {
  private let timer: Wire.Timer

  /// - Parameter request: the start that the command is about to send.
  /// - Returns: nil: the start replaces no timer, or the timer has already ended and is not
  ///   snoozed.
  init?(of request: StartRequest, in daemon: some Answering) {
    // If the call fails, the start will fail as well, and report the reason.
    guard request.parameters.says("replace"), let name = request.parameters["name"]?.stringValue,
      case .success(let reply)? = try? daemon.answer(to: Call(Wire.Get(name: name))),
      let timer = try? Session.timer(in: reply)
    else { return nil }
    guard timer.isActive || timer.isSnoozed else { return nil }
    self.timer = timer
  }

  /// The sentence about the options that the old timer has and the new one lacks; nil: there are
  /// none.
  ///
  /// - Parameter reply: the reply to the start.
  func loss(by reply: JSONValue) throws(CommandError) -> String? {
    let started = try Session.timer(in: reply)
    let options = Self.options(of: timer, missingIn: started)
    guard let last = options.last else { return nil }
    let front = options.dropLast().joined(separator: ", ")
    let list = front.isEmpty ? last : "\(front) and \(last)"
    return "\(started.name): the \(timer.kind.rawValue) that it replaced had \(list); "
      + "\(Typed.nightjar) undo brings that back"
  }

  /// The options that the old timer has and the new one lacks.
  static func options(of old: Wire.Timer, missingIn new: Wire.Timer) -> [String] {
    var options: [String] = []
    func note(_ option: String, _ isThere: Bool, _ isStillThere: Bool) {
      if isThere, !isStillThere { options.append(option) }
    }
    note("--message", old.message != nil, new.message != nil)
    note("--label", !old.labels.isEmpty, !new.labels.isEmpty)
    note("--data", old.data.nonEmpty != nil, new.data.nonEmpty != nil)
    note("--band", !old.bands.isEmpty, !new.bands.isEmpty)
    note("--wake", old.wake != nil, new.wake != nil)
    note(
      "--late", old.late != nil || old.fireWithinUsec != nil,
      new.late != nil || new.fireWithinUsec != nil)
    note("--missed", old.missed != nil, new.missed != nil)
    if new.calendar != nil {
      note("--except", old.except?.isEmpty == false, new.except?.isEmpty == false)
      note("--until", old.until != nil, new.until != nil)
    }
    guard let ring = old.ring else { return options }
    let other = new.ring
    let hasSound = other?.sound != nil || other?.silent == true
    note("--exec", !ring.exec.isEmpty, other?.exec.isEmpty == false)
    note("--sound", ring.sound != nil, hasSound)
    note("--silent", ring.silent, hasSound)
    note("--ring-for", ring.ringForUsec != nil, other?.ringForUsec != nil)
    note("--volume", ring.volume != nil, other?.volume != nil)
    note("--rising", ring.risingUsec != nil, other?.risingUsec != nil)
    note("--insist", ring.insistUsec != nil, other?.insistUsec != nil)
    let disturb = ring.disturb == true ? "--disturb" : "--no-disturb"
    note(disturb, ring.disturb != nil, other?.disturb != nil)
    return options
  }
}
