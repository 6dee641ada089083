import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A tray on a bus, and a panel that the test plays: it has the name of the watcher, and records
/// which items register.
final class TrayRun {
  let run: FaceRun
  let tray: ChildProcess
  private(set) var panel: ChildProcess?
  static let watcher = "org.kde.StatusNotifierWatcher"
  static let item = (path: "/StatusNotifierItem", interface: "org.kde.StatusNotifierItem")
  static let menu = (path: "/MenuBar", interface: "com.canonical.dbusmenu")

  /// - Parameters:
  ///   - isEarly: whether the panel is there before the tray.
  ///   - isGnome: whether the panel belongs to GNOME Shell.
  init(isEarly: Bool = true, isGnome: Bool = false) throws {
    run = try FaceRun()
    if isEarly {
      let panel = try Self.startPanel(run, isGnome: isGnome)
      tray = try run.start("nightjar-tray")
      self.panel = panel
      try awaitRegistration()
    } else {
      tray = try run.start("nightjar-tray")
      try tray.lines.next("that no panel has a tray") { $0.contains("no panel has a tray") }
    }
  }

  /// The name under which the tray has registered.
  private(set) var name = ""

  /// Waits until the panel has the item.
  func awaitRegistration() throws {
    let line = try panel?.lines.next("the registration") { $0.hasPrefix("item ") }
    name = String(try #require(line).dropFirst("item ".count))
  }

  func startPanel() throws { panel = try Self.startPanel(run) }

  func stopPanel() {
    panel?.kill()
    panel = nil
  }

  private static func startPanel(_ run: FaceRun, isGnome: Bool = false) throws -> ChildProcess {
    let panel = try run.rig.start(
      ["/usr/bin/python3", "-u", "-c", program] + (isGnome ? ["org.gnome.Shell"] : []),
      environment: ["DBUS_SESSION_BUS_ADDRESS": run.address, "PATH": "/usr/bin:/bin"],
      package: "python3-dbus")
    try panel.lines.next("the panel") { $0 == "ready" }
    return panel
  }

  private static let program = """
    import dbus, dbus.service, dbus.mainloop.glib, sys
    from gi.repository import GLib
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    WATCHER = '\(watcher)'
    class Panel(dbus.service.Object):
        @dbus.service.method(WATCHER, in_signature='s')
        def RegisterStatusNotifierItem(self, item): print('item', item)
    bus = dbus.SessionBus()
    panel = Panel(bus, '/StatusNotifierWatcher')
    names = [dbus.service.BusName(name, bus) for name in [WATCHER] + sys.argv[1:]]
    print('ready')
    GLib.MainLoop().run()
    """

  // MARK: What the item has

  func item(_ property: String) throws -> JSONValue? {
    try run.property(property, of: name, Self.item.path, Self.item.interface)
  }

  func menu(_ method: String, _ arguments: String...) throws -> [JSONValue] {
    try #require(
      try run.callIfPossible(name, Self.menu.path, Self.menu.interface, [method] + arguments))
  }

  /// An entry as the panel gets it.
  struct Entry {
    let id: Int64
    let properties: JSONValue
    let children: [Entry]

    init(_ json: JSONValue) throws {
      let members = try #require(json.arrayValue)
      (id, properties) = (try #require(members[0].integerValue), members[1])
      children = try (members[2].arrayValue ?? []).map { try Entry(#require($0["data"])) }
    }

    var label: String { properties["label"]?["data"]?.stringValue ?? "" }
    subscript(label: String) -> Entry? { children.first { $0.label == label } }
  }

  func entries() throws -> [Entry] {
    let layout = try menu("GetLayout", "iias", "0", "-1", "0")
    return try Entry(layout[1]).children
  }

  /// The labels of the menu above the line.
  func labels() throws -> [String] {
    try entries().prefix { $0.properties["type"] == nil }.map(\.label)
  }

  /// Clicks an entry, as a panel does.
  func click(_ entry: Entry?) throws {
    let id = try #require(entry).id
    _ = try menu("Event", "isvu", "\(id)", "clicked", "s", "", "0")
  }
}
