import ArgumentParser
import NightjarClient
import Varlink

struct Stopwatch: StartCommand {
  static let configuration = CommandConfiguration(
    commandName: "stopwatch", abstract: "Start a stopwatch.",
    discussion: """
      nightjar lap records the time that the stopwatch shows, nightjar pause and nightjar resume \
      pause and continue the stopwatch, and nightjar stop ends it.
      """)

  @Argument(
    help: ArgumentHelp(
      "The name of the stopwatch. Without a name the daemon chooses one.", valueName: "name"))
  var name: String?

  @OptionGroup var clock: ClockOption

  @OptionGroup var command: CommandArguments
  @OptionGroup var options: NewTimerOptions
  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Command and sound") var ring: RingOptions
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) throws(CommandError) -> StartRequest {
    if let name, Invocation.isSpan(name), name.first?.isNumber == true {
      throw CommandError.usage(
        "a stopwatch has no end; to count down write \(Typed.nightjar) start "
          + "\(Quoting.quoted(name))")
    }
    let start = try options.start(name: name).setting("stopwatch", true)
    return try StartRequest(
      values(at: wall).applied(to: start),
      again: "\(Typed.nightjar) stopwatch \(Quoting.quoted(name ?? "NAME"))")
  }

  var settings: [any SettingOptions] { [clock, common, ring] }
}
