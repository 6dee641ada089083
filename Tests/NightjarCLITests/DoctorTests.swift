import Foundation
import NightjarTestSupport
import NightjarWire
import Testing

@Suite struct DoctorTests {
  /// A stand-in whose status has some members changed.
  private static func fixture(_ changes: [String: JSONValue] = [:]) throws -> Fixture {
    try Fixture { request, nowUsec in
      guard request.method == "Status", case .object(let members) = Samples.status(nowUsec: nowUsec)
      else { return nil }
      return [.reply(.object(members.map { .init($0.key, changes[$0.key] ?? $0.value) }))]
    }
  }

  /// What is found about one thing.
  private func finding(_ check: String, in output: String) throws -> JSONValue {
    guard case .array(let findings) = try JSONValue.parse(output)["findings"] else {
      throw Unmet(description: "no findings in \(output)")
    }
    return try #require(findings.first { $0["check"]?.stringValue == check }, "\(output)")
  }

  @Test("A daemon that could do better is no fault, and each advice has its reason")
  func advice() throws {
    let fixture = try Self.fixture()
    let result = try fixture.run("doctor")
    #expect(result.status == 0 && result.errors == "")
    let lines = result.output.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("ok      Socket") && $0.hasSuffix(fixture.daemon.path) })
    #expect(lines.contains { $0.hasPrefix("advice  Sleep") && $0.contains("no system bus") })
    #expect(lines.contains { $0.contains("no timer can wake the machine: never asked") })
    #expect(lines.contains { $0.contains("→ timedatectl set-ntp true") })
    #expect(lines.contains { $0.hasPrefix("advice  Warning") && $0.contains("nearly full") })
    // It asks, and changes nothing.
    #expect(Set(fixture.methods) == ["Status"])
  }

  @Test(
    "A fault has a remedy and is told to scripts",
    arguments: [
      ("daemon", ["version": "99.0.0"], "restart the daemon"),
      (
        "database",
        [
          "storage": [
            "ok": false, "reason": "the disk is full", "state_directory": "/state",
            "schema_version": 2, "oldest_seq": 1, "last_seq": 9,
          ]
        ], "make room"
      ),
      (
        "inhibitor", ["sleep": ["seen": true, "inhibitor": false, "reason": "Permission denied"]],
        "polkit"
      ),
      (
        "clock",
        [
          "clocks": [
            "realtime_usec": 1, "boottime_usec": 1, "monotonic_usec": 1, "boot_id": "b",
          ]
        ], "restart"
      ),
    ] as [(String, [String: JSONValue], String)])
  func fault(check: String, changes: [String: JSONValue], remedy: String) throws {
    let result = try Self.fixture(changes).run("doctor", "--json")
    #expect(result.status == 1 && result.errors == "")
    #expect(try JSONValue.parse(result.output)["ok"] == false)
    let finding = try finding(check, in: result.output)
    #expect(finding["level"] == "fault")
    #expect(try #require(finding["remedy"]?.stringValue).contains(remedy))
  }

  @Test("Where no daemon answers, that is the fault, and none is started")
  func absent() throws {
    let folder = try TestFolder()
    var fixture = try Fixture()
    fixture.runner.environment["NIGHTJAR_SOCKET"] = "\(folder.path)/none"
    let result = try fixture.run("doctor")
    #expect(result.status == 1)
    #expect(result.output.contains("fault   Socket") && result.output.contains("no daemon answers"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("The presets are looked at, whether a daemon answers or not")
  func presets() throws {
    let fixture = try Self.fixture()
    let folder = fixture.runner.folder.path + "/.config/nightjar"
    func found() throws -> (status: Int32, finding: JSONValue) {
      let result = try fixture.run("doctor", "--json")
      return (result.status, try finding("presets", in: result.output))
    }
    #expect(
      try found().finding["text"]?.stringValue == "none; they would be in \(folder)/config.toml")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func write(_ text: String) throws {
      try text.write(toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
    }
    try write("[presets.tea]\nduration = 3\n[presets.egg]\n")
    let good = try found()
    #expect(good.status == 0)
    #expect(good.finding["text"]?.stringValue == "egg, tea, in \(folder)/config.toml")
    try write("[presets.tea]\nduration = 3\n[presets.egg]\nwaek = true\n")
    let bad = try found()
    #expect(bad.status == 1 && bad.finding["level"] == "fault")
    #expect(
      bad.finding["text"]?.stringValue
        == "\(folder)/config.toml, line 4: [presets.egg] has no key 'waek'; did you mean 'wake'?")
    #expect(bad.finding["remedy"] != nil)
  }
}
