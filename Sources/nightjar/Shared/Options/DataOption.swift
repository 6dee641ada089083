import ArgumentParser
import NightjarWire

/// What a timer carries for its owner.
struct DataOption: ParsableArguments {
  @Option(
    name: .customLong("data"),
    help: ArgumentHelp("An object of the owner's own.", valueName: "json"))
  var text: String?

  /// - Throws: `CommandError` if it is no JSON object.
  func object() throws(CommandError) -> JSONValue? { try LabelArguments.data(text) }
}
