import ArgumentParser
import NightjarClient

/// The options that both start and update have. Each is a parameter of `Start` and of `Update`.
struct ChangeableOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A JSON object that the daemon stores with the timer, for your own use.", valueName: "json"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "One line of text to show when the timer rings: in the notification, in list and in status "
        + "bars.", valueName: "text"))
  var message: String?

  /// The examples of these options, for the error of an `update` without options.
  static let examples = "--data JSON, --message TEXT"

  /// - Throws: `CommandError` if a value is not valid.
  func apply(to timer: inout Wire.Start) throws(CommandError) {
    timer.data = try LabelArguments.data(data)
    timer.message = message
  }

  /// - Throws: `CommandError` if a value is not valid.
  func apply(to update: inout Wire.Update) throws(CommandError) {
    update.data = try LabelArguments.data(data)
    update.message = message
  }
}
