import ArgumentParser
import NightjarClient
internal import NightjarParameters
import NightjarTime

struct Update: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract:
      "Change timers' lengths, labels, data, bands, messages, days, commands and sounds.",
    discussion: """
      Each option that you give replaces the old value; the other properties of the timer stay. A \
      new command inherits nothing from the old command: --exec-on, --exec-timeout and --env must \
      be given again together with --exec or --shell. Given alone, they apply to the present \
      command, and --env adds to its variables. --sound and --silent replace each other; the \
      command stays. --without removes parts of command and sound, and the other parts stay.
      """)

  @OptionGroup var selection: Selection

  @Option(
    help: ArgumentHelp(
      "The total length of a countdown, including the time that has passed.", valueName: "span"))
  var duration: String?

  @Option(
    help: ArgumentHelp(
      "The new time of an alarm that repeats, such as weekdays 7:30; see alarm.",
      valueName: "time"))
  var calendar: String?

  @Option(
    help: ArgumentHelp(
      "The new time of an alarm that rings once, such as tomorrow 7:30; see alarm.",
      valueName: "time"))
  var at: String?

  @Option(
    help: ArgumentHelp(
      "A label; may be given several times. The given labels replace all old labels.",
      valueName: "key=value"))
  var label: [String] = []

  @Flag(help: "Remove all labels.")
  var noLabels = false

  @OptionGroup var changeable: ChangeableOptions

  @Option(
    help: ArgumentHelp(
      "Bands that replace all bands of the timer; see start.", valueName: "span=name,..."))
  var band: [String] = []

  @Flag(help: "Remove all bands.")
  var noBands = false

  @OptionGroup(title: "Days of an alarm that repeats; they replace the old days") var days:
    DaysOptions

  @Flag(help: "Remove all excepted days.")
  var noExcept = false

  @Flag(help: "Remove the last day.")
  var noUntil = false

  @OptionGroup(title: "Command and sound; each option replaces the old value") var ring: RingOptions

  @Option(
    help: ArgumentHelp(
      "Remove parts of command and sound, by their keys in nightjar.toml: volume,ring_for,exec_on.",
      valueName: "key,..."), completion: .list(RingWords.ringKeys.map(\.key)))
  var without: [String] = []

  @Flag(help: "Remove command and sound.")
  var noRing = false

  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) throws(CommandError) -> ChangeRequest {
    let labels = try LabelArguments.labels(label)
    var update = Wire.Update(name: "")
    try changeable.apply(to: &update)
    guard !(noLabels && !labels.isEmpty) else {
      throw CommandError.usage("give --label or --no-labels, not both")
    }
    let bands = try BandArgument.bands(band)
    guard !(noBands && !bands.isEmpty) else {
      throw CommandError.usage("give --band or --no-bands, not both")
    }
    let words = try ring.ring()
    let without = try RingWords.parts(without)
    guard !(noRing && (words != nil || !without.isEmpty)) else {
      let other = words == nil ? "--without" : "a command or a sound"
      throw CommandError.usage("give \(other), or --no-ring, not both")
    }
    if noLabels || !labels.isEmpty { update.labels = labels }
    if noBands || !bands.isEmpty { update.bands = bands }
    guard !(noExcept && days.hasDays) else {
      throw CommandError.usage("give days or --no-except, not both")
    }
    guard !(noUntil && days.until != nil) else {
      throw CommandError.usage("give --until or --no-until, not both")
    }
    if noExcept || days.hasDays { update.except = try days.days(at: wall).map(\.text) }
    let moved = try calendar.map { (text) throws(CommandError) in
      try MovedAlarms(
        to: AlarmTime(zone: nil, wall: wall, option: "--calendar").calendar(
          text, behind: "--calendar",
          name: selection.names.count == 1 ? selection.names.first : nil))
    }
    update.calendar = moved?.calendar.description
    update.until = noUntil ? "" : try days.lastDay(at: wall)?.text
    update.ring = noRing ? Wire.Ring() : words.map(RingWords.completed(update:))
    if !without.isEmpty { update.ringWithout = without }
    let length = try duration.map { (text) throws(CommandError) in try DurationArgument(text) }
    let time = AlarmTime(zone: nil, wall: wall, option: "--at")
    let point = try at.map { (text) throws(CommandError) in try time.next(text) }
    let namesZone = at.map(time.isInNamedZone) ?? false
    guard [duration, calendar, at].count(where: { $0 != nil }) <= 1 else {
      throw CommandError.usage(
        "--duration is for a countdown, --calendar for an alarm that repeats, and --at for one that rings "
          + "once: give one")
    }
    guard update != Wire.Update(name: "") || length != nil || point != nil else {
      throw CommandError.usage(
        "say what to change: --duration SPAN, --calendar TIME, --at TIME, --label key=value, --no-labels, \(ChangeableOptions.examples), "
          + "--band span=name, --no-bands, \(DaysOptions.examples), --exec COMMAND, --sound FILE, --silent, --without KEY "
          + "or --no-ring"
      )
    }
    return ChangeRequest(
      "update", selection,
      Change(
        call: { [update] in
          length == nil && moved == nil && point == nil
            ? Self.call(update, of: $0) : Call(Wire.Get(name: $0))
        },
        echo: {
          [
            hasDays = update.calendar != nil || update.except != nil || update.until != nil
              || point != nil
          ] timer in
          let text = TimerText(timer)
          if let length { return "updated, \(text.what)\(text.state)\(length.note)" }
          guard hasDays else { return "updated" }
          let alarm = AlarmText(text)
          let lost = moved?.before(timer).flatMap(alarm.lostSkips) ?? ""
          return "updated, \(alarm.answer(typed: nil, namesZone: namesZone) ?? text.state)\(lost)"
        },
        next: Self.steps(update, length: length, moved, point: point)))
  }

  /// The calls that need the timer's present state. The command reads the timer first, and then
  /// makes these calls.
  fileprivate static func call(_ update: Wire.Update, of name: String) -> Call {
    var update = update
    update.name = name
    return Call(update)
  }

  private static func steps(
    _ update: Wire.Update, length: DurationArgument?, _ moved: MovedAlarms?, point: Int64?
  ) -> [(Wire.Timer) -> Result<Call, TimersError>] {
    if let moved { return [{ moved.call(for: $0, update) }] }
    guard let first = length.map({ lengthened(to: $0.usec) }) ?? point.map({ Self.moved(to: $0) })
    else { return [] }
    // The first call is the one that the daemon may refuse. If it does, nothing is changed.
    let rest: [(Wire.Timer) -> Result<Call, TimersError>] =
      update == Wire.Update(name: "") ? [] : [{ .success(call(update, of: $0.name)) }]
    return [first] + rest
  }

  /// A function that makes the call to move an alarm that rings once. The call is `Extend`, because
  /// that changes only the alarm's time.
  private static func moved(
    to usec: Int64
  ) -> (Wire.Timer) -> Result<Call, TimersError> {
    { timer in
      guard timer.kind == .alarm, timer.calendar == nil else {
        return .failure(
          .notForKind(name: timer.name, kind: timer.kind.rawValue, operation: "update --at"))
      }
      guard let deadlineUsec = timer.deadlineUsec else {
        return .failure(
          .invalidTransition(
            name: timer.name, kind: timer.kind.rawValue, state: timer.state.rawValue,
            ringing: timer.ringing?.rawValue, operation: "update --at", possible: []))
      }
      return .success(Call(Wire.Extend(name: timer.name, byUsec: usec - deadlineUsec)))
    }
  }

  private static func lengthened(
    to usec: Int64
  ) -> (Wire.Timer) -> Result<Call, TimersError> {
    { timer in
      // The call is `Extend`, so a later restart still uses the duration with which the timer was
      // started.
      timer.kind == .countdown
        ? .success(Call(Wire.Extend(name: timer.name, byUsec: usec - timer.durationUsec)))
        : .failure(
          .notForKind(
            name: timer.name, kind: timer.kind.rawValue, operation: "update --duration"))
    }
  }
}

/// The alarms to which the command gives a new calendar, each as it was before the change.
private final class MovedAlarms {
  let calendar: CalendarExpression
  private var before: [Int64: Wire.Timer] = [:]

  init(to calendar: CalendarExpression) { self.calendar = calendar }

  func before(_ timer: Wire.Timer) -> Wire.Timer? { before[timer.id] }

  /// The call that gives an alarm the new calendar.
  func call(
    for timer: Wire.Timer, _ update: Wire.Update
  ) -> Result<Call, TimersError> {
    guard let old = timer.calendar else {
      return .failure(
        .notForKind(name: timer.name, kind: timer.kind.rawValue, operation: "update --calendar"))
    }
    before[timer.id] = timer
    var update = update
    // The old expression may end in a zone, if the user typed one after the time. The alarm keeps
    // that zone, unless the new expression has one.
    if timer.zone == nil, calendar.zone == .local,
      case .named(let zone)? = CalendarText.expression(old)?.zone
    {
      update.calendar = "\(calendar) \(zone)"
    }
    return .success(Update.call(update, of: timer.name))
  }
}
