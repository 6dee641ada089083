import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The doctor's findings about the bridge.
@Suite(.blocking) struct DoctorBridgeTests {
  private let fixture: Fixture

  init() throws { try self.init(isSynchronized: true) }

  /// - Parameter isSynchronized: whether the daemon says that its clock is synchronised.
  private init(isSynchronized: Bool) throws {
    fixture = try Fixture(status: ["clock_synchronized": .bool(isSynchronized)])
  }

  private func found() throws -> [String] { try fixture.findings("bridge").lines }

  /// A bridge beside the daemon, with some changed members in its status; null removes a member.
  private func bridge(_ changes: JSONValue = [:]) throws -> FakeDaemon {
    let traffic: JSONValue = ["messages": 0, "bytes": 0]
    let usual: JSONValue = [
      "version": .string(NightjarVersion.current), "pid": 7, "broker": "mqtts://b",
      "person": "alex", "device": "laptop", "connected": true, "complete": true,
      "since_usec": .integer(fixture.noon.nowUsec), "timers": 2, "unpublished": [], "dropped": 0,
      "sent": traffic, "received": traffic, "devices": [], "missed": [], "sessions": [],
    ]
    let status = usual.setting(all: changes).objectValue?.filter { !$0.value.isNull } ?? []
    let folder = fixture.daemon.path.dropLast("/socket".count)
    return try FakeDaemon(path: "\(folder)/mqtt") { request in
      [request.method == "Status" ? .reply(.object(status)) : .close]
    }
  }

  @Test func `A bridge that does not run is a fault if a broker is configured`() throws {
    #expect(try found() == [])
    try fixture.runner.configure("[daemon]\n[mqtt]\n")
    #expect(try found() == [])
    try fixture.runner.configure(
      """
      [mqtt]
      broker = "mqtts://b"
      person = "alex"
      device = "laptop"
      user = "alex"
      password_credential = "mqtt"
      """)
    #expect(
      try found() == [
        "fault | [mqtt] is configured, and nightjar-mqtt does not run: this machine is not "
          + "connected to the others | systemctl --user enable --now nightjar-mqtt"
      ])
  }

  @Test func `A mistake in its configuration is reported, and one in the whole file once`() throws {
    try fixture.runner.configure("[mqtt]\nbroker = 1\nperson = \"alex\"\n")
    let lines = try found()
    let begin = "fault | HOME/.config/nightjar/config.toml, line 2: 'broker' must be a text, not "
    let end = " | correct it, then systemctl --user restart nightjar-mqtt"
    try #require(lines.count == 1)
    #expect(lines[0].hasPrefix(begin) && lines[0].hasSuffix(end), "\(lines)")
    try fixture.runner.configure("[deamon]\n")
    #expect(try found() == [])
    let output = try fixture.run("doctor", "--json").output
    #expect(output.split(separator: "did you mean [daemon]?").count == 2)
  }

  /// The file does not matter: a running bridge uses the configuration that it has read.
  @Test(
    arguments: Row.table(
      #"""
      => ok | mqtts://b, connected since => , as alex/laptop
      "connected":false,"reason":"the name is not found" => fault | mqtts://b, not connected since \#
      => : the name is not found, as alex/laptop | it tries again by itself; see that the broker \#
      runs and can be reached, and what journalctl --user -u nightjar-mqtt says
      "connected":false,"reason":"another machine is connected as alex/laptop","remedy":"give one \#
      of the two another 'device' in [mqtt]" => fault | mqtts://b, not connected since => : another \#
      machine is connected as alex/laptop, as alex/laptop | give one of the two another 'device' in \#
      [mqtt], then systemctl --user restart nightjar-mqtt
      "connected":false,"since_usec":null => advice | mqtts://b, not connected, as alex => | look again
      "reason":"the broker does not let this machine read it" => fault | mqtts://b, connected since \#
      => , as alex/laptop: the broker does not let this machine read it
      "reason":"it takes at most 9 bytes","remedy":"raise its limit" => fault | mqtts://b, connected \#
      since => , as alex/laptop: it takes at most 9 bytes | raise its limit
      "daemon_reason":"it has closed the connection" => fault | mqtts://b, connected since => , and \#
      the daemon does not answer it: it has closed the connection | see that the daemon runs: \#
      nightjar status
      "version":"0.0.1" => advice | nightjar-mqtt is of version 0.0.1, and nightjar of version => \#
      | systemctl --user restart nightjar-mqtt
      """#))
  func `The broker, the name there and the time are reported, and each trouble with its remedy`(
    row: Row
  ) throws {
    let running = try bridge(JSONValue.parse("{\(row[0])}"))
    defer { running.stop() }
    let lines = try found()
    try #require(lines.count == 1)
    #expect(lines[0].hasPrefix(row[1]) && lines[0].hasSuffix(row[2]), "\(lines)")
    #expect(Set(running.requests.map(\.method)) == ["Status"])
  }

  @Test func `A clock that is not synchronised is advice, with what it means for rings`() throws {
    func device(_ name: String, _ isSynchronized: Bool) -> JSONValue {
      [
        "device": .string(name), "state": "online", "timers": 1,
        "clock_synchronized": .bool(isSynchronized),
      ]
    }
    func advice(_ name: String) -> String {
      "advice | the clock of \(name) is not synchronised: until it is, no other machine rings for "
        + "\(name), and \(name) rings for no other | on \(name): timedatectl set-ntp true, or run chrony"
    }
    let devices: JSONValue = [device("desktop", true), device("server", false)]
    for (isSynchronized, names) in [(true, ["server"]), (false, ["laptop", "server"])] {
      let machine = try DoctorBridgeTests(isSynchronized: isSynchronized)
      let running = try machine.bridge(["devices": devices])
      defer { running.stop() }
      #expect(try machine.found().dropFirst() == names.map(advice)[...])
    }
    // Without other machines, it does not matter.
    let alone = try DoctorBridgeTests(isSynchronized: false)
    let running = try alone.bridge()
    defer { running.stop() }
    #expect(try alone.found().count == 1)
  }

  @Test func `Timers that the other machines do not see are advice`() throws {
    let running = try bridge(["unpublished": ["a/b"]])
    defer { running.stop() }
    let lines = try found()
    let advice =
      "advice | 2 of this machine are on the broker, and not 'a/b': too many segments, or too many "
      + "timers | rename them, or remove timers that are over; see nightjar-mqtt(1)"
    #expect(lines.count == 2 && lines[0].hasPrefix("ok | ") && lines.last == advice, "\(lines)")
  }
}
