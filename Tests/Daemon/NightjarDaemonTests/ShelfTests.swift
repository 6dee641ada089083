import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The hooks in Sources/Faces/hooks, each with the program for which it is, or with a double of
/// that program.
@Suite(.blocking) struct ShelfTests {
  private static let shelf = "\(Documentation.root)/Sources/Faces/hooks"
  private static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: shelf))?.filter { $0 != "lib" }.sorted()
    ?? []

  private let rig: Rig
  private let bus: String
  /// The environment of the daemon and its hooks, and of the programs that the test asks.
  private var environment: [String: String]

  init() throws {
    rig = try Rig()
    bus = "unix:path=\(rig.path)/run/bus"
    try rig.startBus(type: "session", address: bus)
    let programs = URL(filePath: try Binaries.nightjar()).deletingLastPathComponent().path
    environment = [
      "PATH": "\(programs):/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": bus, "LANG": "C.UTF-8",
      "HOME": "\(rig.path)/home", "XDG_RUNTIME_DIR": "\(rig.path)/run",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(rig.path)/nowhere", "GSETTINGS_BACKEND": "keyfile",
      "TIMEWARRIORDB": "\(rig.path)/timewarrior",
    ]
  }

  // MARK: Running hooks

  /// A daemon with a hook that is enabled for all of its events, and the events of the daemon.
  private struct Enabled {
    let hook: String
    let daemon: DaemonProcess
    let events: NightjarClient.ReplyStream
    let environment: [String: String]
    let rig: Rig

    /// Runs a command, and waits until the hook has ended on the event that follows.
    func run(
      _ arguments: String..., on event: String, ends expected: String = "exited 0"
    ) throws {
      let socket = ["--socket", daemon.options.socketPath]
      try rig.tool([Binaries.nightjar()] + arguments + socket, environment: environment)
      let command = "hook \(event).d/\(hook)"
      let end = try events.event { $0.type == .actionEnded && $0.command == command }.end
      #expect(end == expected, "\(arguments): \(daemon.process.output)")
    }
  }

  private static func events(of hook: String) throws -> [String] {
    let text = try String(contentsOfFile: "\(shelf)/\(hook)", encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("# Events: ") }
      .flatMap { $0.dropFirst("# Events: ".count).split(separator: " ").map(String.init) }
  }

  private func enable(
    _ hook: String, environment more: [String: String] = [:]
  ) throws -> Enabled {
    for event in try Self.events(of: hook) {
      let folder = "\(rig.path)/home/.config/nightjar/hooks/\(event).d"
      try makeFolder(folder)
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(hook)", withDestinationPath: "\(Self.shelf)/\(hook)")
    }
    let environment = environment.merging(more) { $1 }
    try rig.configure("sound = false\nnotify = false")
    let daemon = try rig.daemon { $0.environment.merge(environment) { $1 } }
    return Enabled(
      hook: hook, daemon: daemon, events: try daemon.events(after: 0), environment: environment,
      rig: rig)
  }

  private func ask(_ command: String...) throws -> String {
    try rig.tool(command, environment: environment).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // MARK: The files

  @Test func `Each hook is a program of at most 15 lines, for events that there are`() throws {
    #expect(Self.names.count == 7)
    let known = (Wire.EventType.timerEvent + Wire.EventType.machineEvent).map(\.rawValue)
    for name in Self.names {
      let path = "\(Self.shelf)/\(name)"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.count { $0 == "\n" } <= 15, "\(name)")
      #expect(text.hasPrefix("#!/bin/sh\n# ") && access(path, X_OK) == 0, "\(name)")
      let events = try Self.events(of: name)
      #expect(!events.isEmpty && Set(events).isSubset(of: known), "\(name)")
    }
  }

  // MARK: Do not disturb

  /// The notification servers, each with the command that says whether it disturbs, and with what
  /// that prints if it does and if it does not.
  @Test(arguments: [
    ("dunst", ["dunstctl", "is-paused"], "false", "true"),
    ("mako", ["makoctl", "mode"], "default", "default\ndnd"),
    ("SwayNotificationCenter", ["swaync-client", "-D"], "false", "true"),
    (
      "gnome-shell", ["gsettings", "get", "org.gnome.desktop.notifications", "show-banners"],
      "true", "false"
    ),
  ])
  func `While a timer works, the notification server does not disturb`(
    server: String, question: [String], disturbs: String, quiet: String
  ) throws {
    if server == "dunst" {
      try startDunst()
    } else {
      try DesktopDouble.start(server, in: rig, on: bus)
    }
    func answer() throws -> String {
      let lines = try rig.tool(question, environment: environment).split(separator: "\n")
      return lines.sorted().joined(separator: "\n")
    }
    let enabled = try enable("do-not-disturb")
    try enabled.run("start", "tea", "1h", on: "started")
    #expect(try answer() == disturbs)
    try enabled.run("sequence", "focus", "write=1h", "rest=1h", on: "started")
    #expect(try answer() == quiet)
    // While one of two works, it is quiet.
    try enabled.run("start", "x", "1h", "--label", "work=", on: "started")
    try enabled.run("advance", "focus", on: "advanced")
    #expect(try answer() == quiet)
    try enabled.run("pause", "x", on: "paused")
    #expect(try answer() == disturbs)
    // What the user has set stays.
    let on = [
      "dunst": ["dunstctl", "set-paused", "true"], "mako": ["makoctl", "mode", "-a", "dnd"],
      "SwayNotificationCenter": ["swaync-client", "-dn"],
      "gnome-shell": [
        "gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "false",
      ],
    ]
    try rig.tool(try #require(on[server]), environment: environment)
    try enabled.run("resume", "x", on: "resumed")
    try enabled.run("cancel", "x", on: "cancelled")
    #expect(try answer() == quiet)
  }

  /// Starts dunst on a screen that nobody sees.
  private func startDunst() throws {
    let screen = try rig.start(
      ["Xvfb", "-displayfd", "1", "-nolisten", "tcp", "-fbdir", rig.path], package: "xvfb")
    let display = try screen.lines.next("the display") { Int($0) != nil }
    var environment = environment
    environment["DISPLAY"] = ":\(display)"
    _ = try rig.start(["dunst"], environment: environment, package: "dunst")
    try awaitTrue("dunst is not there") {
      try rig.run(["dunstctl", "is-paused"], environment: environment).output.contains("false")
    }
  }

  // MARK: Music

  @Test func `What plays is paused when work ends, and only that plays again with it`() throws {
    for player in ["player1", "player2"] { try DesktopDouble.start(player, in: rig, on: bus) }
    func status(_ player: String) throws -> String {
      try ask("playerctl", "--player=\(player)", "status")
    }
    _ = try ask("playerctl", "--player=player2", "pause")
    let enabled = try enable("music")
    // A timer that is no work leaves the music alone.
    try enabled.run("start", "tea", "1h", on: "started")
    try enabled.run("pause", "tea", on: "paused")
    #expect(try status("player1") == "Playing")
    try enabled.run("sequence", "focus", "work=1h", "rest=1h", on: "started")
    try enabled.run("advance", "focus", on: "advanced")
    #expect(try status("player1") == "Paused")
    // What the user plays in the break goes on.
    _ = try ask("playerctl", "--player=player1", "play")
    try enabled.run("start", "egg", "1h", on: "started")
    #expect(try status("player1") == "Playing")
    _ = try ask("playerctl", "--player=player1", "pause")
    try enabled.run("restart", "focus", on: "restarted")
    #expect(try status("player1") == "Playing" && status("player2") == "Paused")
  }

  // MARK: Words

  @Test func `say says the name and the message, and no shell reads them`() throws {
    let folder = "\(rig.path)/speech"
    try makeFolder("\(folder)/modules")
    try writeFile(
      """
      AudioOutputMethod "alsa"
      AudioALSADevice "null"
      AddModule "file" "sd_generic" "file.conf"
      DefaultModule file

      """, to: "\(folder)/speechd.conf", mode: 0o644)
    try writeFile(
      """
      GenericExecuteSynth "echo \\'$DATA\\' >>\(folder)/said"
      AddVoice "en" "MALE1" "en"
      DefaultVoice "en"
      GenericLanguage "en" "en" "utf-8"

      """, to: "\(folder)/modules/file.conf", mode: 0o644)
    try writeFile("pcm.null { type null }\n", to: "\(folder)/asound.conf", mode: 0o644)
    _ = try rig.start(
      [
        "speech-dispatcher", "--run-single", "--communication-method", "unix_socket",
        "--socket-path", "\(folder)/socket", "--config-dir", folder, "--log-dir", folder,
        "--pid-file", "\(folder)/pid",
      ], environment: environment.merging(["ALSA_CONFIG_PATH": "\(folder)/asound.conf"]) { $1 },
      package: "speech-dispatcher")
    try awaitTrue("speech-dispatcher is not there") { access("\(folder)/socket", F_OK) == 0 }
    let enabled = try enable(
      "say", environment: ["SPEECHD_ADDRESS": "unix_socket:\(folder)/socket"])
    let name = #"-x `touch pwned` $(touch pwned) <b>"#
    try enabled.run("start", "10ms", "--name=\(name)", "--message", "it's done", on: "rang")
    try rig.awaitFile("speech/said", "it's done")
    #expect(try ask("cat", "\(folder)/said").hasPrefix("\(name).\n"))
    #expect(access("\(rig.path)/home/pwned", F_OK) != 0)
  }

  // MARK: Over HTTP

  @Test func `ntfy sends what rings, whatever its name is`() throws {
    let server = try WebServer(of: rig, showing: "Priority")
    let enabled = try enable("ntfy", environment: ["NTFY_URL": "\(server.address)/topic"])
    for name in ["@/etc/passwd", "-x", "a\"b\\n$HOME"] {
      try enabled.run("start", "10ms", "--name=\(name)", "--message", "é", on: "rang")
      try server.requests.next(name) { $0 == "POST /topic high \(name) rings. é" }
    }
  }

  @Test func `ActivityWatch gets the beginning and the end of what the user works at`() throws {
    let server = try WebServer(of: rig)
    let enabled = try enable("activitywatch", environment: ["ACTIVITYWATCH": server.address])
    func next(_ path: String, _ body: String) throws {
      try server.requests.next("\(path) \(body)") { $0.contains(path) && $0.contains(body) }
    }
    let name = #"a "b" \ c"#
    let title = #"{"title":"a \"b\" \\ c"}"#
    try enabled.run("start", "1h", "--name=\(name)", "--label", "work=1", on: "started")
    try next("POST /api/0/buckets/nightjar_", #""client":"nightjar""#)
    try next("/heartbeat?pulsetime=0", title)
    try enabled.run("pause", name, on: "paused")
    try next("/heartbeat?pulsetime=1000000", title)
    try enabled.run("resume", name, on: "resumed")
    try next("/heartbeat?pulsetime=0", title)
    try enabled.run("start", "tea", "1h", on: "started")
    try next("/heartbeat?pulsetime=1000000", title)
  }

  // MARK: Timewarrior

  @Test func `Timewarrior tracks work, and leaves the user's own tracking alone`() throws {
    let enabled = try enable("timewarrior")
    func tracked() throws -> [String] {
      let entries = try JSONValue.parse(try ask("timew", "export", ":yes")).arrayValue ?? []
      return entries.map { entry in
        let tag = entry["tags"]?.arrayValue?.first?.stringValue ?? ""
        return tag + (entry["end"] == nil ? " …" : "")
      }
    }
    let name = #"5min "b" \ :yes"#
    try enabled.run("start", "1h", "--name=\(name)", "--label", "work=1", on: "started")
    #expect(try tracked() == [#"nightjar/5min "b"  :yes …"#])
    // An hour ago, because Timewarrior does not stop what has begun in this second.
    let hourAgo = Date(timeIntervalSinceNow: -3600).ISO8601Format()
    _ = try ask("timew", "modify", "start", "@1", hourAgo, ":yes")
    try enabled.run("pause", name, on: "paused")
    #expect(try tracked() == [#"nightjar/5min "b"  :yes"#])
    try enabled.run("resume", name, on: "resumed")
    #expect(try tracked().count == 2)
    _ = try ask("timew", "modify", "start", "@1", hourAgo, ":yes", ":adjust")
    _ = try ask("timew", "start", "mine", ":yes")
    try enabled.run("pause", name, on: "paused")
    #expect(try tracked().last == "mine …")
  }
}
