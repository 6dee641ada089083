import ArgumentParser
import NightjarClient
import Varlink

struct Mqtt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mqtt",
    abstract: "Connect your machines and other persons: status, share, join, leave.",
    discussion: """
      nightjar-mqtt(1) connects your machines through an MQTT broker. nightjar @MACHINE COMMAND \
      acts on the timers of another machine, as in nightjar @desktop list.
      """,
    subcommands: [Status.self, Share.self, Join.self, Leave.self], defaultSubcommand: Status.self)

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show whether the bridge is connected to the broker, and list your machines.")

    @OptionGroup var format: FormatOption

    func run() throws {
      guard let bridge = try BridgeSession.openIfRunning() else { throw BridgeSession.notRunning }
      let reply = try bridge.statusReply()
      guard !format.isJSON else { return Output.ready(reply.text) }
      let status = try CommandError.explaining { () throws(ClientError) in
        try BridgeWire.Status.Reply(reply)
      }
      Output.ready(BridgeText(status, nowUsec: LocalTime.nowUsec()).lines)
    }
  }
}
