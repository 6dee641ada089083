import ArgumentParser
import NightjarClient
import NightjarConfig
import Varlink

struct PresetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets", abstract: "List, save and remove presets: presets save tea.",
    discussion: """
      A preset is a table in ~/.config/nightjar/config.toml, and nightjar NAME starts it; see \
      nightjar.toml(5). The preset pomodoro is there without a file.
      """,
    subcommands: [List.self, Save.self, Remove.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the presets, with what each starts.")

    func run() throws(CommandError) {
      let lines: [(String, String)]
      do throws(ConfigError) {
        let presets = try Presets.read()
        var read: [(String, String)] = []
        for name in presets.names {
          guard let preset = try presets.named(name, at: .here) else { continue }
          read.append((name, preset.words))
        }
        lines = read
      } catch { throw CommandError(.refused, error.description, see: .configuration) }
      Output.lines(
        Terminal.isOutput ? Columns.lines(lines) : lines.map { "\($0)\t\($1)" })
    }
  }

  struct Save: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "save", abstract: "Save a timer of any kind as a preset of its name.")

    @Argument(help: "The timer.", completion: TimerCompletion.names)
    var name: String

    @OptionGroup var socket: SocketOption

    func run() throws(CommandError) {
      let json = try Session.open(socket).call(Call(Wire.Get(name: name)))["timer"] ?? .null
      let timer = try Session.timer(json)
      let start = TimerSettings.start(of: timer, json)
      let preset = try SavedPreset(start, name: name)
      Output.line(try preset.save(durationUsec: timer.durationUsec))
      if timer.ring?.environment.isEmpty == false {
        Output.line("the variables of its command are not in the preset; add env = { ... } to it")
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a preset from the configuration file.")

    @Argument(help: "The preset.", completion: TimerCompletion.presets)
    var name: String

    func run() throws(CommandError) {
      do throws(ConfigError) {
        Output.line("\(name): the preset is removed from \(try SavedPreset.remove(name))")
      } catch { throw CommandError(.refused, error.description, see: .configuration) }
    }
  }
}
