import Foundation
import NightjarTestSupport
import Testing

/// The picture of a dashboard that the documentation shows. Its pixels depend on the browser, so
/// the states of its entities are compared.
@Suite(.blocking, .serialized, .enabled(if: HomeAssistant.isWanted)) struct DashboardTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  /// Tuesday, 24 November 2026, 18:10:00 UTC, in seconds.
  private static let evening: Int64 = 1_795_543_800

  private let rig: BridgeRig
  private let kitchen: BridgeRig.Machine
  private let home: HomeAssistant
  private let dashboard: String
  private let clockFile: String

  init() throws {
    dashboard = try String(
      contentsOf: Self.folder.appending(path: "dashboard.yaml"), encoding: .utf8)
    rig = try BridgeRig(hasPort: true)
    clockFile = "\(rig.rig.path)/clock"
    kitchen = try rig.machine(
      "kitchen", others: "start", settings: "home_assistant = [\"oven\"]",
      environment: DaemonProcess.fakeClocks(clockFile))
    home = try HomeAssistant(rig, dashboard: dashboard)
  }

  /// A line for each entity on the dashboard, with its state. Seconds are left out: a slow machine
  /// may be a second later.
  private func shown() throws -> String {
    let states = try home.states()
    return dashboard.matches(of: /entity: (\w+\.)nightjar_kitchen_(\w+)/).map { match in
      let entity = String(match.1 + match.2)
      let state = (states[entity] ?? "missing").replacing(/(\d\d:\d\d):\d\d/) { $0.1 }
      return "\(entity): \(state)\n"
    }.joined()
  }

  @Test func `The picture of the dashboard has the states that Home Assistant shows`() throws {
    func awaitState(_ entity: String, where isIncluded: (String) -> Bool) throws {
      try awaitTrue("\(entity) is not so: \((try? home.states()) ?? [:])") {
        try home.states()[entity].map(isIncluded) ?? false
      }
    }
    try awaitState("sensor.timers") { $0 == "0" }
    // It is 18:10 and no second more, so that the times on the picture are the same at every run.
    while Now.realtimeUsec % second > second / 10 { sched_yield() }
    try "\(Self.evening - Now.realtimeUsec / second)".write(
      toFile: clockFile, atomically: true, encoding: .utf8)
    try home.write("20 min", to: "oven_start")
    try home.write("pasta 9min", to: "start_a_timer")
    let file = Self.folder.appending(path: "dashboard.txt")
    guard let folder = ProcessInfo.processInfo.environment["NIGHTJAR_PICTURES"] else {
      let committed = try String(contentsOf: file, encoding: .utf8)
      return try awaitTrue(
        "dashboard.png shows other states; run make pictures, and look at it: \((try? shown()) ?? "")"
      ) { try shown() == committed }
    }
    try awaitState("sensor.timers") { $0 == "2" }
    for entity in ["start_a_timer", "oven_start"] {
      try awaitState("text.\(entity)") { $0.contains("rings at") }
    }
    try Data(shown().utf8).write(to: file)
    let picture = "\(folder)/dashboard.png"
    try home.takePicture(
      atMsec: Self.evening * 1000, showing: ["In 20 minutes", "oven: 20 min"], to: picture)
  }
}
