import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A session bus, a real daemon, and the faces that the test starts or the bus starts for it.
final class FaceRun {
  let rig: Rig
  private(set) var daemon: DaemonProcess
  let address: String
  private let bus: ChildProcess
  static let launcher = (name: "org.nightjar.Launcher", path: "/org/nightjar/Launcher")

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    address = "unix:path=\(rig.path)/run/bus"
    let services = "\(rig.path)/services"
    try makeFolder(services)
    // The file of the package, with this daemon and this build.
    let command =
      "\(try Binaries.program("nightjar-launcher")) --socket \(daemon.options.socketPath)"
    let file = try Documentation.text(of: "Sources/Packaging/Faces/org.nightjar.Launcher.service")
    try file.replacing("@LIBEXECDIR@/nightjar-launcher", with: command).write(
      toFile: "\(services)/launcher.service", atomically: true, encoding: .utf8)
    bus = try rig.startBus(type: "session", address: address, services: services)
  }

  /// Starts a face, with the variables that a session has.
  func start(_ program: String, environment: [String: String] = [:]) throws -> ChildProcess {
    var variables = daemon.clientEnvironment
    variables["DBUS_SESSION_BUS_ADDRESS"] = address
    variables.merge(environment) { $1 }
    return try rig.start([try Binaries.program(program)], environment: variables)
  }

  /// Starts a daemon with the same state, in place of one that has ended.
  func startDaemon() throws { daemon = try rig.daemon() }

  func restartDaemon() throws {
    try daemon.crash()
    try startDaemon()
  }

  /// Each of 50 rounds ends a timer or starts one, and kills the daemon right after its answer.
  /// Within 2 s of the next daemon, a face must show what is there.
  ///
  /// - Parameter shows: whether the face shows the timers with these names, and no other.
  func survive50Kills(_ shows: ([String]) throws -> Bool) throws {
    var late: [Int64] = []
    for round in 0..<50 {
      let isStart = round % 2 == 0
      let call: Call =
        isStart
        ? .start(name: "t\(round)", durationUsec: hour) : .perform(.remove, name: "t\(round - 1)")
      try daemon.connect().timer(call)
      try restartDaemon()
      let sinceUsec = Now.boottimeUsec
      try awaitTrue("round \(round)") { try shows(isStart ? ["t\(round)"] : []) }
      late.append(Now.boottimeUsec - sinceUsec)
    }
    print("  50 kills: right after \(late.max()! / 1000) ms at most")
    #expect(late.allSatisfy { $0 <= 2 * second })
  }

  // MARK: The bus

  /// The results of a call; nil: it was refused.
  func callIfPossible(
    _ name: String, _ path: String, _ interface: String, _ arguments: [String]
  ) throws -> [JSONValue]? {
    let (end, output) = try rig.run(
      ["busctl", "--address=\(address)", "--json=short", "--", "call", name, path, interface]
        + arguments,
      package: "systemd")
    guard end == .exited(0) else { return nil }
    guard !output.isEmpty else { return [] }
    return try JSONValue.parse(Array(output.utf8))["data"]?.arrayValue
  }

  func call(
    _ name: String, _ path: String, _ interface: String, _ arguments: String...
  ) throws -> [JSONValue] {
    try #require(try callIfPossible(name, path, interface, arguments), "\(arguments)")
  }

  func property(
    _ property: String, of name: String, _ path: String, _ interface: String
  ) throws -> JSONValue? {
    let output = try rig.tool([
      "busctl", "--address=\(address)", "--json=short", "get-property", name, path, interface,
      property,
    ])
    return try JSONValue.parse(Array(output.utf8))["data"]
  }

  /// What an object has under an interface, as `busctl introspect` says it: the type, and the types
  /// of the arguments and the results, by name.
  func members(of name: String, _ path: String, _ interface: String) throws -> [String: String] {
    let output = try rig.tool([
      "busctl", "--address=\(address)", "--no-pager", "introspect", name, path, interface,
    ])
    var members: [String: String] = [:]
    for line in output.split(separator: "\n") where line.hasPrefix(".") {
      let words = line.split(separator: " ")
      let isProperty = words[1] == "property"
      members[String(words[0].dropFirst())] = words[1...(isProperty ? 2 : 3)]
        .joined(separator: " ")
    }
    return members
  }

  func isOwned(_ name: String) throws -> Bool {
    let bus = "org.freedesktop.DBus"
    return try call(bus, "/org/freedesktop/DBus", bus, "NameHasOwner", "s", name) == [true]
  }

  /// The messages on the bus that match a rule, as `dbus-monitor --profile` says them: a line each.
  func monitor(_ rule: String) throws -> ChildProcess {
    let monitor = try rig.start(
      ["stdbuf", "-oL", "dbus-monitor", "--address", address, "--profile", rule],
      package: "dbus-bin")
    try monitor.lines.next("the monitor") { $0.hasPrefix("#") }
    return monitor
  }

  // MARK: The launcher

  /// The texts and details of the results for what is typed in GNOME's overview.
  func gnome(_ typed: String) throws -> [[String]] {
    let metas = try metas(of: try ids(typed))
    return metas.map { meta in
      ["name", "description"].map { meta[$0]?["data"]?.stringValue ?? "" }
    }
  }

  func ids(_ typed: String) throws -> [String] {
    let terms = typed.split(separator: " ").map(String.init)
    let found = try launch("GetInitialResultSet", ["as", "\(terms.count)"] + terms)
    return found[0].arrayValue?.compactMap(\.stringValue) ?? []
  }

  func metas(of ids: [String]) throws -> [JSONValue] {
    try launch("GetResultMetas", ["as", "\(ids.count)"] + ids)[0].arrayValue ?? []
  }

  @discardableResult func launch(_ method: String, _ arguments: [String]) throws -> [JSONValue] {
    try #require(
      try callIfPossible(
        Self.launcher.name, Self.launcher.path, "org.gnome.Shell.SearchProvider2",
        [method] + arguments), "\(method) \(arguments)")
  }

  func krunner(_ method: String, _ arguments: String...) throws -> [JSONValue] {
    try #require(
      try callIfPossible(
        Self.launcher.name, Self.launcher.path, "org.kde.krunner1", [method] + arguments))
  }
}
