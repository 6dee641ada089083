import Foundation
import NightjarTestSupport
import Varlink

/// The tests of what shows timers on desktops.
enum DesktopTests {
  /// Whether the tests can be had here. Where CI is set they are wanted in any case, and fail for
  /// the reason they have; elsewhere one line says that they were left out.
  static let isWanted: Bool = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["NIGHTJAR_DESKTOP"] == nil, environment["CI"] == nil else { return true }
    print("left out, because it takes a desktop; run `make test-desktop`")
    return false
  }()
}

/// A GNOME Shell 43 without a screen, with the extension from Sources/Faces/gnome. It has a session
/// bus and a system bus of its own, on which python-dbusmock plays other services.
final class GnomeShell {
  /// What the extension shows.
  struct State {
    let label: String?
    let isHighlighted: Bool
    /// The widths of the label in the panel and of the menu, in pixels.
    let width: Double
    let menuWidth: Double
    let hasMarkup: Bool
    /// How many timeouts of the extension wait in the main loop of the shell.
    let waiting: Int64
    let isOpen: Bool
    /// The rows of the timers: the name, the time and the names of the buttons.
    let rows: [[String]]
    /// The lines below the entry.
    let lines: [String]
  }

  private static let name = "org.gnome.Shell"
  private static let session = "/org/freedesktop/login1/session/c1"
  private static let helper = "helper@nightjar.test"
  private let rig: Rig
  private var process: ChildProcess?

  /// The path of the daemon's socket, at its usual place in the user's runtime folder.
  static func socket(in rig: Rig) -> String { "\(rig.path)/run/nightjar/socket" }

  /// Starts the buses and the shell.
  init(_ rig: Rig) throws {
    self.rig = rig
    try install()
    try leaveOutInputMethods()
    for type in ["session", "system"] { try rig.startBus(type: type, address: address(type)) }
    try startServices()
    try start()
  }

  private func address(_ type: String) -> String { "unix:path=\(rig.path)/run/\(type)-bus" }

  private var environment: [String: String] {
    [
      "HOME": "\(rig.path)/home", "XDG_RUNTIME_DIR": "\(rig.path)/run", "LANG": "C.UTF-8",
      "PATH": "/usr/bin:/bin", "TZ": "UTC", "DBUS_SESSION_BUS_ADDRESS": address("session"),
      "DBUS_SYSTEM_BUS_ADDRESS": address("system"), "XDG_CURRENT_DESKTOP": "GNOME",
      "XDG_SESSION_ID": "c1", "XDG_SESSION_TYPE": "wayland", "GSETTINGS_BACKEND": "keyfile",
      "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1",
      "G_RESOURCE_OVERLAYS": "/org/gnome/shell/misc=\(overlay)",
    ]
  }

  /// Installs the extension and the helper for a user who has enabled both.
  private func install() throws {
    let extensions = "\(rig.path)/home/.local/share/gnome-shell/extensions"
    let face = "nightjar@nightjar.org"
    try rig.tool(["\(Documentation.root)/Sources/Faces/gnome/build", "\(extensions)/\(face)"])
    let folder = "\(extensions)/\(Self.helper)"
    try makeFolder(folder)
    let helper = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "gnome-helper.js")
    try FileManager.default.copyItem(atPath: helper.path, toPath: "\(folder)/extension.js")
    let about: JSONValue = [
      "uuid": .string(Self.helper), "name": "Helper", "description": "For tests",
      "shell-version": ["43"], "session-modes": ["user", "unlock-dialog"],
    ]
    try about.text.write(toFile: "\(folder)/metadata.json", atomically: true, encoding: .utf8)
    let settings = "\(rig.path)/home/.config/glib-2.0/settings"
    try makeFolder(settings)
    try """
    [org/gnome/shell]
    enabled-extensions=['\(Self.helper)', '\(face)']
    welcome-dialog-last-shown-version='99'

    [org/gnome/desktop/background]
    picture-options='none'
    primary-color='#2e4057'
    """.write(toFile: "\(settings)/keyfile", atomically: true, encoding: .utf8)
  }

  /// Makes the shell start no ibus-daemon. It would run JavaScript between fork and exec for that,
  /// which sometimes waits forever for a lock that another thread held.
  private func leaveOutInputMethods() throws {
    let library = "/usr/lib/gnome-shell/libgnome-shell.so"
    let (path, start) = ("/org/gnome/shell/misc/ibusManager.js", "_spawn(extraArgs = []) {")
    let script = try rig.tool(["gresource", "extract", library, path], package: "libglib2.0-bin")
    guard script.contains(start) else {
      throw Unmet(description: "\(path) of this shell is not that of GNOME 43")
    }
    try makeFolder(overlay)
    try script.replacing(start, with: "\(start) return;").write(
      toFile: "\(overlay)/ibusManager.js", atomically: true, encoding: .utf8)
  }

  /// Files that the shell uses in place of those in its folder `misc`.
  private var overlay: String { "\(rig.path)/overlay" }

  // MARK: Other services

  /// Without logind the shell does not start, and without GDM it has no lock screen.
  private func startServices() throws {
    let (logind, gdm) = ("org.freedesktop.login1", "org.gnome.DisplayManager")
    let gdmPath = "/org/gnome/DisplayManager/Manager"
    try mock(["--system", "--template", "logind"], as: logind, on: "system")
    try mock(["--system", gdm, gdmPath, "\(gdm).Manager"], as: gdm, on: "system")
    try call(
      "system", gdm, gdmPath, "AddProperty", ["ssv", "\(gdm).Manager", "Version", "s", "43"])
    try call(
      "system", logind, "/org/freedesktop/login1", "AddSession",
      ["ssusb", "c1", "seat0", "\(getuid())", "tester", "true"])
    try call(
      "system", logind, Self.session, "AddMethod",
      ["sssss", "\(logind).Session", "SetLockedHint", "b", "", ""])
  }

  private func mock(_ arguments: [String], as name: String, on bus: String) throws {
    _ = try rig.start(
      ["/usr/bin/python3", "-m", "dbusmock"] + arguments, environment: environment,
      package: "python3-dbusmock")
    try rig.tool(
      ["gdbus", "wait", "--\(bus)", "--timeout", "60", name], environment: environment,
      package: "libglib2.0-bin")
  }

  /// Calls a method of python-dbusmock, or another one, and returns the values of the reply.
  @discardableResult
  private func call(
    _ bus: String, _ service: String, _ path: String, _ method: String, _ values: [String],
    of interface: String = "org.freedesktop.DBus.Mock"
  ) throws -> [JSONValue] {
    let command = ["busctl", "--address=\(address(bus))", "--json=short", "call"]
    let reply = try rig.tool(
      command + [service, path, interface, method] + values, environment: environment)
    return try JSONValue.parse(reply.isEmpty ? "{}" : reply)["data"]?.arrayValue ?? []
  }

  /// Locks or unlocks the session, as logind does.
  func set(isLocked: Bool) throws {
    try call(
      "system", "org.freedesktop.login1", Self.session, "EmitSignal",
      ["sssav", "org.freedesktop.login1.Session", isLocked ? "Lock" : "Unlock", "", "0"])
  }

  // MARK: The shell

  /// Starts the shell. It has loaded the extensions when this returns.
  func start() throws {
    let shell = try rig.start(
      [
        "gnome-shell", "--headless", "--virtual-monitor", "1280x800", "--no-x11",
        "--wayland-display", "nightjar-test",
      ], environment: environment, package: "gnome-shell")
    process = shell
    do {
      try shell.lines.next("the start of the shell", within: 90) {
        $0.contains("GNOME Shell started at")
      }
      try evaluate("Main.overview.hide()")
    } catch {
      throw Unmet(description: "\(error)\n\(shell.output)")
    }
  }

  func crash() throws {
    process?.kill()
    try awaitTrue("the bus has the killed shell") {
      try call(
        "session", "org.freedesktop.DBus", "/", "NameHasOwner", ["s", Self.name],
        of: "org.freedesktop.DBus") == [.bool(false)]
    }
  }

  /// The errors that the shell has logged for the extension.
  var complaints: [String] {
    let lines = process?.lines.all ?? []
    return lines.indices.filter { lines[$0].contains("nightjar@nightjar.org") }.map { index in
      lines[max(0, index - 2)...index].joined(separator: "\n")
    }
  }

  /// Runs JavaScript in the shell.
  @discardableResult func evaluate(_ script: String) throws -> JSONValue {
    let reply = try call(
      "session", Self.name, "/org/gnome/Shell", "Eval", ["s", script], of: Self.name)
    guard reply.first == true, let text = reply.last?.stringValue else {
      throw Unmet(description: "the shell cannot run \(script): \(reply)")
    }
    return text.isEmpty ? .null : try JSONValue.parse(text)
  }

  var state: State {
    get throws {
      let state = try evaluate("nightjarTest.state")
      func texts(_ list: JSONValue?) -> [String] {
        (list?.arrayValue ?? []).compactMap(\.stringValue)
      }
      return State(
        label: state["label"]?.stringValue,
        isHighlighted: state["style"] == "nightjar-ring",
        width: state["width"]?.doubleValue ?? 0, menuWidth: state["menuWidth"]?.doubleValue ?? 0,
        hasMarkup: state["markup"]?.boolValue ?? true,
        waiting: state["waiting"]?.integerValue ?? -1, isOpen: state["isOpen"]?.boolValue ?? false,
        rows: (state["rows"]?.arrayValue ?? []).map(texts), lines: texts(state["lines"]))
    }
  }

  /// Waits until the extension shows what is expected.
  @discardableResult
  func awaitState(_ what: String, _ isExpected: (State) throws -> Bool) throws -> State {
    var last: State?
    try awaitTrue("\(what): \(last.map { "\($0)" } ?? "nothing")") {
      let state = try self.state
      last = state
      return try isExpected(state)
    }
    return try state
  }

  /// Opens the menu. The entry has the focus then.
  func openMenu() throws {
    try click("nightjarTest.click(nightjarTest.face)")
    try awaitState("the menu is not open") { $0.isOpen }
    try awaitTrue("the entry has no focus") {
      try evaluate("nightjarTest.face._entry.contains(global.stage.get_key_focus())")
        == true
    }
  }

  func type(_ text: String) throws {
    try evaluate("nightjarTest.type(\(JSONValue.string(text).text))")
  }

  func press(key: String) throws { try evaluate("nightjarTest.type('', '\(key)')") }

  /// Clicks on a button in the row of a timer.
  func press(_ button: String, of name: String) throws {
    try click("nightjarTest.press(\(JSONValue.string(name).text), '\(button)')")
  }

  /// Runs JavaScript that clicks, as soon as what it clicks on has a place on the screen.
  func click(_ script: String) throws {
    try awaitTrue("nothing to click on: \(script)") { try evaluate(script) == true }
  }

  /// Writes a picture of the panel's right end and the menu, in pixels of the screen.
  func takePicture(width: Int, height: Int, to file: String) throws {
    // The tests need a mode that has an icon and a message of its own.
    try evaluate(
      "Main.panel.statusArea.quickSettings._unsafeMode.hide(); Main.messageTray.hide()")
    let area = ["\(1280 - width)", "0", "\(width)", "\(height)", "false", file]
    let reply = try call(
      "session", "org.gnome.Shell.Screenshot", "/org/gnome/Shell/Screenshot", "ScreenshotArea",
      ["iiiibs"] + area, of: "org.gnome.Shell.Screenshot")
    guard reply.first == true else { throw Unmet(description: "no picture: \(reply)") }
  }
}
