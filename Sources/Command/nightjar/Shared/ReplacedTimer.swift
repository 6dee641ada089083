import NightjarClient
import Varlink

/// The timer that a start with --replace will replace.
struct ReplacedTimer {
  private let timer: Wire.Timer
  private let json: JSONValue

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
    (self.timer, json) = (timer, reply["timer"] ?? .null)
  }

  /// The sentence about the options that the old timer has and the new one lacks; nil: there are
  /// none.
  ///
  /// - Parameter reply: the reply to the start.
  func loss(by reply: JSONValue) throws(CommandError) -> String? {
    let started = try Session.timer(in: reply)
    let new = TimerSettings.start(of: started, reply["timer"] ?? .null)
    let old = TimerSettings.start(of: timer, json)
    let options = Self.options(of: old, missingIn: new, isCalendar: started.calendar != nil)
    guard let last = options.last else { return nil }
    let front = options.dropLast().joined(separator: ", ")
    let list = front.isEmpty ? last : "\(front) and \(last)"
    return "\(started.name): the \(timer.kind.rawValue) that it replaced had \(list); "
      + "\(Typed.nightjar) undo brings that back"
  }

  /// The options for settings that the old timer has and the new one lacks.
  static func options(
    of old: JSONValue, missingIn new: JSONValue, isCalendar: Bool
  ) -> [String] {
    let settings = Setting.all.filter { setting in
      switch setting.key {
      case "clock", "zone", "except_file": false
      default: setting.path.first != "alarm" || isCalendar
      }
    }
    return settings.filter { setting in
      setting.value(in: old) != nil && setting.value(in: new) == nil
        && setting.replaced?.value(in: new) == nil
    }.map { "--\($0.option)" }
  }
}
