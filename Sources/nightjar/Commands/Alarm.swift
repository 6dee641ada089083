import ArgumentParser
import NightjarClient

struct Alarm: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarm",
    abstract: "Ring at a point in time, or whenever the calendar comes round.",
    discussion: """
      The time is a point such as 17:30, 9am, tomorrow 9:00, 2026-12-24 18:00 or +1h, or a calendar \
      expression of systemd.time(7) such as Mon..Fri 9:30, daily or *-*-01 12:00, which rings again \
      and again. A time of day that is past is tomorrow's; with --repeat it is every day's.

      An alarm goes by the clock on the wall, in the machine's zone or in one that is named behind \
      the time or by --zone. Where clocks are put forward past it, it rings when they are; where an \
      hour comes twice, it rings the first time. A paused alarm is muted; if its time passes, it \
      rings when it is resumed.
      """)

  @Argument(
    help: ArgumentHelp("A name and when; without a name it gets one.", valueName: "name-and-time"))
  var words: [String] = []

  @Option(help: ArgumentHelp("The time zone, such as Europe/Berlin.", valueName: "zone"))
  var zone: String?

  @Flag(name: .customLong("repeat"), help: "Every day at that time, not once.")
  var repeats = false

  @OptionGroup var rounds: RoundsOption

  @OptionGroup var ending: EndingOptions
  @OptionGroup var options: NewTimerOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  /// Whether its time is past by then nobody can say beforehand.
  func check(at wall: Wall) throws(CommandError) -> StartRequest? {
    let time = try split(at: wall).time
    try AlarmTime(zone: zone, repeats: repeats, wall: wall).check(time)
    var timer = NewTimer(name: nil, .stopwatch)
    try options.apply(to: &timer)
    try ending.apply(to: &timer)
    return nil
  }

  private func split(at wall: Wall) throws(CommandError) -> (name: String?, time: String) {
    guard !words.isEmpty else {
      throw CommandError.usage("say when: nightjar alarm tea 17:30")
    }
    return try AlarmTime(zone: zone, repeats: repeats, wall: wall).split(words)
  }

  func request(at wall: Wall) throws(CommandError) -> StartRequest {
    let (name, text) = try split(at: wall)
    let asked = try rounds.checked()
    let kind = try AlarmTime(zone: zone, repeats: repeats, wall: wall).kind(text, rounds: asked)
    if rounds.count != nil, case .alarm = kind {
      throw CommandError.usage("'\(text)' comes once; --rounds is for a calendar expression")
    }
    var timer = NewTimer(name: name, kind)
    try options.apply(to: &timer)
    try ending.apply(to: &timer)
    timer.ring = try ring.words()?.said
    return try StartRequest(
      timer,
      again: "nightjar alarm \(Quoting.quoted(name ?? "NAME")) \(Quoting.quoted(text))")
  }
}
