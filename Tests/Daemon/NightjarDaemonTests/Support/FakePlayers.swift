import Foundation
import Glibc
import NightjarTestSupport
import Testing

/// Programs in the daemon's PATH that record what they are asked to play.
final class FakePlayers {
  private let rig: Rig
  private let folder: String
  private let heard: ChildProcess

  init(of rig: Rig) throws {
    self.rig = rig
    folder = "\(rig.path)/bin"
    try makeFolder(folder)
    try Data().write(to: URL(filePath: "\(folder)/played"))
    heard = try rig.start(["tail", "-n", "+1", "-f", "\(folder)/played"])
  }

  /// Installs a program that exits with a code.
  func install(_ name: String, _ body: String = "", code: Int = 0) throws {
    let script = """
      #!/bin/sh
      /bin/cat "$1" "$2" >'\(folder)/sound' 2>/dev/null
      echo "\(name) $*" >>'\(folder)/played'
      \(body)
      echo "\(name) cannot" >&2
      exit \(code)
      """
    try writeFile(script, to: "\(folder)/\(name)", mode: 0o755)
  }

  /// Makes it look as if a sound server were running.
  func runPipeWire() throws {
    try Data().write(to: URL(filePath: "\(rig.path)/run/pipewire-0"))
  }

  /// The next call of a player: its name and arguments.
  @discardableResult func next(
    within seconds: Double = 30, where matches: (String) -> Bool = { _ in true }
  ) throws -> String {
    try heard.lines.next("a sound", within: seconds, where: matches)
  }

  var all: [String] {
    let played = FileManager.default.contents(atPath: "\(folder)/played") ?? Data()
    return String(decoding: played, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The contents of the file that the last player was asked to play.
  var sound: Data? { FileManager.default.contents(atPath: "\(folder)/sound") }

  /// The default call of a player.
  static let chime = "pw-play \(chimeFile)"

  /// The chime of a daemon that runs in its build folder.
  static let chimeFile = file("chime")

  /// The built-in sound of a daemon that runs in its build folder.
  static func file(_ name: String) -> String {
    "\(Documentation.root)/Sources/Sounds/\(name).wav"
  }
}
