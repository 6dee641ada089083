import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// Both paths into the program are one: `nightjar start` without options is read like one with
/// options.
@Suite(.blocking) struct FrontDoorTests {
  private static let presets =
    PresetStartTests.file + "\n[presets.brew]\nduration = \"4min\"\nexec = \"true\"\n"

  private func fixture(_ presets: String, at noon: Noon) throws -> Fixture {
    let fixture = try Fixture(Fixture.four, at: noon)
    try fixture.runner.configure(presets)
    return fixture
  }

  @Test(
    arguments: [
      ["coffee", "4min"], ["4min"], ["1h", "30min"], ["120"], ["coffee", "1:30"],
      ["10", "1:30:00"],
      ["a/b c", "10s"], ["Kräutertee", "7min"],
      ["soft egg"], ["soft egg", "4min"], ["standup"], ["standup", "4min"], ["long", "1h"],
      ["long"],
      ["tea"], ["tea", "5min"], ["brew"], ["brew", "5min"], ["egg", "5min"], ["run/1/me", "5min"],
      ["coffee"], ["sofft egg"], ["coffee", "4minutes"], ["coffee", "4min", "5"],
      ["4min", "coffee"],
      [""], ["", "4min"], ["coffee", ""], ["coffee", "0"], ["a//b", "4min"], ["help"],
      ["start", "start"],
      [String(repeating: "x", count: 256), "4min"],
    ], [presets, "", "[presets"])
  func `Without options it sends and prints the same as with an option that changes nothing`(
    _ words: [String], _ presets: String
  ) throws {
    let noon = Noon()
    let plain = try fixture(presets, at: noon)
    let parsed = try Fixture(Fixture.four, at: noon)
    // From the same folder, because its path appears in errors about files and in a command's
    // environment.
    let result = try plain.runner.run(["start"] + words)
    let other = try plain.runner.run(["start"] + words + ["--socket", parsed.daemon.path])
    #expect(other == result)
    #expect(plain.methods == parsed.methods)
    #expect(plain.daemon.requests.map(\.parameters) == parsed.daemon.requests.map(\.parameters))
  }
}
