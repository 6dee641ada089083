import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The tray in real panels, on a screen in memory, with a real daemon. With `NIGHTJAR_PICTURES`
/// they write pictures there.
@Suite(.blocking, .serialized, .enabled(if: DesktopTests.isWanted)) struct TrayPanelTests {
  /// The colours of the icons: the sky of both, and the moons.
  private static let (sky, moon, ringing) = ("#1D2340", "#F4E6B8", "#FF9D5C")

  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection
  private let screen: String
  private let environment: [String: String]

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
    let server = try rig.start(
      ["Xvfb", "-displayfd", "1", "-screen", "0", "1024x600x24", "-nolisten", "tcp"],
      package: "xvfb")
    screen = ":\(try server.lines.next("the screen") { Int($0) != nil })"
    let address = "unix:path=\(rig.path)/run/bus"
    // XFCE's settings have a service there.
    try rig.startBus(type: "session", address: address, services: "/usr/share/dbus-1/services")
    environment = [
      "HOME": "\(rig.path)/home", "XDG_RUNTIME_DIR": "\(rig.path)/run", "DISPLAY": screen,
      "DBUS_SESSION_BUS_ADDRESS": address, "NIGHTJAR_SOCKET": daemon.options.socketPath,
      "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": Noon().zone, "GIO_USE_VFS": "local",
      "NO_AT_BRIDGE": "1",
    ]
    let icons = "\(rig.path)/home/.local/share/icons/hicolor/scalable/apps"
    try makeFolder(icons)
    for icon in ["nightjar.svg", "Faces/nightjar-ringing.svg"] {
      let source = "\(Documentation.root)/Sources/Packaging/\(icon)"
      let name = URL(filePath: source).lastPathComponent
      try FileManager.default.copyItem(atPath: source, toPath: "\(icons)/\(name)")
    }
  }

  private func start(_ command: String..., environment more: [String: String] = [:]) throws {
    _ = try rig.start(command, environment: environment.merging(more) { $1 })
  }

  private func xdotool(_ arguments: String...) throws {
    try rig.tool(["xdotool"] + arguments, environment: environment, package: "xdotool")
  }

  // MARK: The panels

  private func startXFCE() throws {
    let folder = "\(rig.path)/home/.config/xfce4/xfconf/xfce-perchannel-xml"
    try makeFolder(folder)
    try """
    <channel name="xfce4-panel" version="1.0">
      <property name="configver" type="int" value="2"/>
      <property name="panels" type="array"><value type="int" value="1"/>
        <property name="panel-1" type="empty">
          <property name="position" type="string" value="p=6;x=0;y=0"/>
          <property name="length" type="uint" value="100"/>
          <property name="size" type="uint" value="32"/>
          <property name="plugin-ids" type="array">
            <value type="int" value="1"/><value type="int" value="2"/>
          </property>
        </property>
      </property>
      <property name="plugins" type="empty">
        <property name="plugin-1" type="string" value="separator">
          <property name="expand" type="bool" value="true"/>
        </property>
        <property name="plugin-2" type="string" value="systray"/>
      </property>
    </channel>
    """.write(toFile: "\(folder)/xfce4-panel.xml", atomically: true, encoding: .utf8)
    try start("xfwm4", "--compositor=off")
    try start("xfce4-panel")
  }

  /// sway has its screen in a window of the X server, because xdotool is its pointer. It refuses to
  /// run as root, and does not see in a user namespace that it does.
  private func startWaybar() throws {
    let folder = "\(rig.path)/home/.config/waybar"
    try makeFolder(folder)
    try #"{"position": "top", "height": 32, "modules-right": ["tray"], "tray": {"icon-size": 24}}"#
      .write(toFile: "\(folder)/config", atomically: true, encoding: .utf8)
    let configuration = "\(rig.path)/sway"
    try "".write(toFile: configuration, atomically: true, encoding: .utf8)
    let variables = [
      "WLR_BACKENDS": "x11", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
      "XDG_CURRENT_DESKTOP": "sway",
    ]
    try start(
      "unshare", "--user", "--map-user=1000", "--map-group=1000", "sway", "--config",
      configuration, environment: variables)
    func file(_ prefix: String) throws -> String? {
      try FileManager.default.contentsOfDirectory(atPath: "\(rig.path)/run")
        .first { $0.hasPrefix(prefix) && !$0.hasSuffix(".lock") }
    }
    try awaitTrue("sway") { try file("wayland-") != nil && file("sway-ipc") != nil }
    let display = try #require(try file("wayland-"))
    let socket = "\(rig.path)/run/\(try #require(try file("sway-ipc")))"
    try start(
      "waybar",
      environment: [
        "WAYLAND_DISPLAY": display, "SWAYSOCK": socket, "XDG_CURRENT_DESKTOP": "sway",
      ])
  }

  // MARK: The screen

  /// The pixels of a colour in the panel.
  private func pixels(_ color: String) throws -> [(x: Int, y: Int)] {
    let picture = "\(rig.path)/screen.png"
    try rig.tool(
      ["import", "-window", "root", picture], environment: environment, package: "imagemagick")
    let text = try rig.tool(["convert", picture, "-crop", "1024x40+0+0", "-depth", "8", "txt:-"])
    return text.split(separator: "\n").compactMap { line in
      guard line.contains(color) else { return nil }
      let place = line.prefix { $0 != ":" }.split(separator: ",").compactMap { Int($0) }
      return place.count == 2 ? (place[0], place[1]) : nil
    }
  }

  /// Waits until the panel has the icon with this moon, and returns the middle of the icon.
  private func awaitIcon(_ moon: String) throws -> (x: Int, y: Int) {
    try awaitTrue("the icon with \(moon)") { try pixels(moon).count > 10 }
    let sky = try pixels(Self.sky)
    try #require(sky.count > 10)
    return (sky.map(\.x).reduce(0, +) / sky.count, sky.map(\.y).reduce(0, +) / sky.count)
  }

  private func keep(_ name: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["NIGHTJAR_PICTURES"] else { return }
    try rig.tool(
      ["import", "-window", "root", "-crop", "480x220+544+0", "+repage", "\(folder)/\(name).png"],
      environment: environment)
  }

  @Test(arguments: ["xfce", "waybar"])
  func `A panel shows the icon, another while something rings, and a click ends the ring`(
    panel: String
  ) throws {
    try panel == "xfce" ? startXFCE() : startWaybar()
    try start(try Binaries.program("nightjar-tray"))
    _ = try awaitIcon(Self.moon)
    _ = try client.call(.start(name: "tea", durationUsec: second / 10))
    let icon = try awaitIcon(Self.ringing)
    try keep("tray-\(panel)-ring")
    try xdotool("mousemove", "\(icon.x)", "\(icon.y)", "click", "2")
    _ = try awaitIcon(Self.moon)
    let timers = try client.call(.list())["timers"]
    #expect(timers == [])
  }
}
