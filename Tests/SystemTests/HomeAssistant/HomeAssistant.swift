import Foundation
import NightjarTestSupport
import Varlink

/// A real Home Assistant on 127.0.0.1 beside a real broker, with no one at the browser.
final class HomeAssistant {
  private let rig: BridgeRig
  private let program: String
  private let config: String
  private let port: UInt16
  private let automations: String
  private let dashboard: String?
  private var process: ChildProcess?
  private var token = ""

  /// Whether the tests can be had here. Where CI is set they are wanted in any case, and fail for
  /// the reason they have; elsewhere one line says that they were left out.
  static let isWanted: Bool = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["NIGHTJAR_HOME_ASSISTANT"] == nil, environment["CI"] == nil else {
      return true
    }
    print(
      "left out, because it takes an installation: a real Home Assistant; run `make test-home-assistant`"
    )
    return false
  }()

  /// Starts it; it has connected to the rig's broker, which has a port, when this returns.
  ///
  /// - Parameters:
  ///   - automations: as its file `automations.yaml` has them.
  ///   - dashboard: as its file `ui-lovelace.yaml` has it; nil: it has no front end.
  init(_ rig: BridgeRig, automations: String = "[]", dashboard: String? = nil) throws {
    self.rig = rig
    self.automations = automations
    self.dashboard = dashboard
    guard let folder = ProcessInfo.processInfo.environment["NIGHTJAR_HOME_ASSISTANT"] else {
      throw Unmet(description: "NIGHTJAR_HOME_ASSISTANT is not set; run make test-home-assistant")
    }
    program = "\(folder)/venv/bin/hass"
    config = "\(rig.rig.path)/home"
    port = try FreePort.find()
    try write()
    try rig.rig.tool(
      [program, "--script", "auth", "-c", config, "add", "test", "testpass"],
      environment: environment)
    try start()
    try logIn()
  }

  private var environment: [String: String] {
    ["HOME": config, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
  }

  /// Its configuration: the broker, and nobody who answers questions.
  private func write() throws {
    try makeFolder("\(config)/.storage")
    let yaml = """
      homeassistant: { name: Test, latitude: 0, longitude: 0, elevation: 0, unit_system: metric, time_zone: UTC }
      http: { server_host: 127.0.0.1, server_port: \(port) }
      api:
      logger: { default: warning }
      automation: !include automations.yaml
      \(dashboard == nil ? "" : "frontend:\nlovelace: { mode: yaml }")
      """
    if let dashboard {
      try dashboard.write(toFile: "\(config)/ui-lovelace.yaml", atomically: true, encoding: .utf8)
      // Otherwise the front end asks a new user where the home is.
      let steps: JSONValue = ["user", "core_config", "analytics", "integration"]
      let done: JSONValue = [
        "version": 4, "minor_version": 1, "key": "onboarding", "data": ["done": steps],
      ]
      try done.text.write(
        toFile: "\(config)/.storage/onboarding", atomically: true, encoding: .utf8)
    }
    try automations.write(toFile: "\(config)/automations.yaml", atomically: true, encoding: .utf8)
    try yaml.write(toFile: "\(config)/configuration.yaml", atomically: true, encoding: .utf8)
    guard let broker = rig.port else { throw Unmet(description: "the broker has no port") }
    let entry: JSONValue = [
      "created_at": "1970-01-01T00:00:00+00:00", "modified_at": "1970-01-01T00:00:00+00:00",
      "disabled_by": .null, "discovery_keys": .object([]), "domain": "mqtt", "entry_id": "test",
      "minor_version": 2, "version": 1,
      "options": ["discovery": true, "discovery_prefix": "homeassistant"],
      "data": ["broker": "127.0.0.1", "port": .integer(Int64(broker)), "protocol": "5"],
      "pref_disable_new_entities": false, "pref_disable_polling": false, "source": "user",
      "subentries": [], "title": "test", "unique_id": .null,
    ]
    let entries: JSONValue = [
      "version": 1, "minor_version": 5, "key": "core.config_entries",
      "data": ["entries": .array([entry])],
    ]
    try entries.text.write(
      toFile: "\(config)/.storage/core.config_entries", atomically: true, encoding: .utf8)
  }

  /// Starts it, and returns when it says at the broker that it is there.
  func start() throws {
    let birth = try rig.follow("homeassistant/status")
    process = try rig.rig.start(
      [program, "-c", config, "--skip-pip"], environment: environment)
    do {
      try birth.lines.next("its birth message", within: 180) { $0 == "online" }
    } catch {
      throw Unmet(description: "\(error)\n\(process?.output ?? "")")
    }
    birth.kill()
  }

  func stop() throws {
    process?.signal(SIGTERM)
    try process?.awaitEnd(within: 60)
  }

  /// What it has logged as wrong of MQTT and of templates.
  var complaints: [String] {
    (process?.lines.all ?? []).filter {
      ($0.contains("WARNING") || $0.contains("ERROR"))
        && ($0.contains("components.mqtt") || $0.contains("helpers.template"))
    }
  }

  /// Takes a picture of its dashboard when the page shows `texts`. The browser's clock begins at
  /// `msec`, in milliseconds since the epoch.
  func takePicture(atMsec msec: Int64, showing texts: [String], to file: String) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "picture")
    let python = URL(filePath: program).deletingLastPathComponent().appending(path: "python3")
    try rig.rig.tool(
      [python.path, script.path, address, token, "\(msec)", file] + texts,
      environment: environment.merging(["TZ": "UTC"]) { $1 }, within: 300)
  }

  // MARK: - Its API (https://developers.home-assistant.io/docs/api/rest)

  private var address: String { "http://127.0.0.1:\(port)" }

  @discardableResult private func call(
    _ path: String, _ body: String? = nil, kind: String = "application/json"
  ) throws -> JSONValue {
    var command = ["curl", "-s", "-m", "30", "-H", "Content-Type: \(kind)"]
    if !token.isEmpty { command += ["-H", "Authorization: Bearer \(token)"] }
    if let body { command += ["-d", body] }
    let answer = try rig.rig.tool(command + ["\(address)\(path)"], package: "curl")
    return try JSONValue.parse(Array(answer.utf8))
  }

  /// Its own login flow, as a browser goes through it.
  private func logIn() throws {
    let flow = try call(
      "/auth/login_flow",
      #"{"client_id":"\#(address)/","handler":["homeassistant",null],"redirect_uri":"\#(address)/"}"#
    )
    let done = try call(
      "/auth/login_flow/\(flow["flow_id"]?.stringValue ?? "")",
      #"{"client_id":"\#(address)/","username":"test","password":"testpass"}"#)
    let code = done["result"]?.stringValue ?? ""
    let answer = try call(
      "/auth/token", "grant_type=authorization_code&code=\(code)&client_id=\(address)/",
      kind: "application/x-www-form-urlencoded")
    token = answer["access_token"]?.stringValue ?? ""
    guard !token.isEmpty else { throw Unmet(description: "no token: \(answer.text)") }
  }

  /// The states of the entities of Nightjar, by their names behind `nightjar_`.
  func states() throws -> [String: String] {
    var states: [String: String] = [:]
    for state in try call("/api/states").arrayValue ?? [] {
      guard let id = state["entity_id"]?.stringValue, id.contains(".nightjar_") else { continue }
      states[id.replacing("nightjar_kitchen_", with: "")] = state["state"]?.stringValue
    }
    return states
  }

  /// Whether an automation has been triggered.
  func hasRun(_ automation: String) throws -> Bool {
    try call("/api/states/automation.\(automation)")["attributes"]?["last_triggered"]?.stringValue
      != nil
  }

  /// Gives an entity that is not ours a state.
  func set(_ entity: String, to state: String, _ attributes: String = "{}") throws {
    try call("/api/states/\(entity)", #"{"state":"\#(state)","attributes":\#(attributes)}"#)
  }

  func fire(_ event: String, _ data: String) throws { try call("/api/events/\(event)", data) }

  func press(_ button: String) throws {
    try call("/api/services/button/press", #"{"entity_id":"button.nightjar_kitchen_\#(button)"}"#)
  }

  func write(_ text: String, to entity: String) throws {
    try call(
      "/api/services/text/set_value",
      #"{"entity_id":"text.nightjar_kitchen_\#(entity)","value":"\#(text)"}"#)
  }
}
