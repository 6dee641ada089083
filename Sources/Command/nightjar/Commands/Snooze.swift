import ArgumentParser
import NightjarClient
import NightjarConfig
import NightjarModel
import NightjarTime

struct Snooze: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Snooze rings; they ring again later: snooze 10min.",
    discussion: """
      Without a time span, the length of the snooze is the key snooze in the table [daemon] of \
      ~/.config/nightjar/config.toml. By default that is \
      \(SpanFormat.text(usec: Limits.usualSnoozeUsec)).
      """)

  /// The length of a snooze if the user gives none: the setting `snooze` of the daemon's table in
  /// the configuration file, else the daemon's default. The live screen and the buttons of
  /// notifications use the same length. A mistake in the file is ignored, because it must not
  /// prevent a snooze.
  static let usualUsec: Int64 = {
    guard let path = Presets.path, let file = try? ConfigFile.read(path: path) else {
      return Limits.usualSnoozeUsec
    }
    var table = file.table(.daemon)
    return (try? table.snoozeUsec()) ?? Limits.usualSnoozeUsec
  }()

  @OptionGroup var selection: SpanSelection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) throws(CommandError) -> ChangeRequest {
    let usual = SpanFormat.canonical(.usec(UInt64(Self.usualUsec)))
    let (names, text) = try selection.split(command: "snooze", usual: usual)
    let span = try DurationArgument(text)
    return ChangeRequest(
      "snooze", names, isAll: selection.isAll, isFor: \.hasRung,
      Change(
        call: { Call(Wire.Snooze(name: $0, byUsec: span.usec)) },
        echo: { timer in
          let end = timer.nextRingUsec.map { ", rings at \(TimerText(timer).point($0))" } ?? ""
          return "snoozed for \(SpanFormat.said(usec: span.usec))\(end)\(span.note)"
        })
    ).aboutRings().askingFirst(unless: yes)
  }
}
