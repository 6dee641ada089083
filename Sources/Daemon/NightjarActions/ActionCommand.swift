internal import NightjarModel
internal import NightjarParameters
internal import Varlink

/// A command that an event calls, with everything that is needed to run it later, even in another
/// process. It is stored on disk until it has ended.
struct ActionCommand: Equatable {
  /// The timer at the time of the event.
  struct Subject: Equatable {
    var name: String
    var id: Int64
  }

  /// A lane is a queue: commands in the same lane run one after another, in the order of their
  /// events.
  enum Lane: Hashable {
    /// The commands of a timer, by its ID.
    case timer(Int64)
    /// A hook, by its path, for events of any timer.
    case hook(String)
  }

  var event: String
  /// The event's timer; nil for an event of the machine.
  var timer: Subject?
  /// Whether the command is a hook, and not the timer's own.
  var isHook: Bool
  /// The program and its arguments.
  var exec: [String]
  /// The variables that are added to the usual environment.
  var environment: [RingPlan.Variable]
  /// How long the command may run, in microseconds.
  var timeoutUsec: Int64
  /// The name of the service as which the command runs.
  var unit: String

  /// The title for log lines and events.
  var title: String { RingPlan.title(of: exec, isHook: isHook) }

  /// The name of the program, without the folders.
  var program: String { exec[0].split(separator: "/").last.map(String.init) ?? exec[0] }

  var lane: Lane { isHook ? .hook(exec[0]) : .timer(timer?.id ?? 0) }

  /// The value of a variable; nil if it is not set.
  func value(of name: String) -> String? { environment.last { $0.name == name }?.value }
}

// MARK: - On disk

extension ActionCommand {
  var json: [UInt8] {
    var bytes: [UInt8] = []
    JSONWriter.append(to: &bytes) { writer in
      writer.beginObject()
      writer.member("event", event)
      if let timer {
        writer.member("name", timer.name)
        writer.member("id", timer.id)
      }
      if isHook { writer.member("hook", true) }
      writer.member("exec", exec)
      writer.member("timeout_usec", timeoutUsec)
      writer.member("unit", unit)
      writer.key("environment")
      writer.beginObject()
      for variable in environment {
        writer.key(variable.name)
        writer.string(variable.value)
      }
      writer.endObject()
      writer.endObject()
    }
    return bytes
  }

  /// Makes a command. Nil if the JSON is not a command that this or an earlier version of Nightjar
  /// has stored.
  init?(json: [UInt8]) {
    guard let value = try? JSONValue.parse(json), let event = value["event"]?.stringValue,
      let exec = value["exec"]?.strings, let program = exec.first, !program.isEmpty,
      let timeoutUsec = value["timeout_usec"]?.integerValue, timeoutUsec > 0,
      timeoutUsec <= Limits.execLongestUsec, let unit = value["unit"]?.stringValue
    else { return nil }
    if let name = value["name"]?.stringValue, let id = value["id"]?.integerValue {
      timer = Subject(name: name, id: id)
    }
    (self.event, self.exec, self.timeoutUsec, self.unit) = (event, exec, timeoutUsec, unit)
    isHook = value["hook"]?.boolValue ?? false
    environment = (value["environment"]?.objectValue ?? []).compactMap { member in
      member.value.stringValue.map { RingPlan.Variable(name: member.key, value: $0) }
    }
  }
}
