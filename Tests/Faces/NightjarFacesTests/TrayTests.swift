import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The tray on a bus, with a real daemon and a panel that the test plays.
@Suite(.blocking) struct TrayTests {
  private let tray: TrayRun
  private let client: Connection
  private var daemon: DaemonProcess { tray.run.daemon }

  init() throws {
    tray = try TrayRun()
    client = try tray.run.daemon.connect()
    try awaitTrue("the daemon's answer") { try tray.labels() == ["No timer"] }
  }

  /// Starts a timer of an hour, and waits until the menu has it.
  private func start(_ name: String) throws {
    try client.timer(.start(name: name, durationUsec: hour))
    try awaitTrue("\(name) in the menu") { try tray.labels() != ["No timer"] }
  }

  @Test func `The item and its menu have what the specifications ask for`() throws {
    let (run, name) = (tray.run, tray.name)
    #expect(
      try run.members(of: name, TrayRun.item.path, TrayRun.item.interface) == [
        "Activate": "method ii -", "SecondaryActivate": "method ii -",
        "ContextMenu": "method ii -", "Scroll": "method is -", "Category": "property s",
        "Id": "property s", "Title": "property s", "WindowId": "property i",
        "ItemIsMenu": "property b", "Menu": "property o", "Status": "property s",
        "IconName": "property s", "AttentionIconName": "property s",
        "OverlayIconName": "property s", "ToolTip": "property (sa(iiay)ss)",
        "XAyatanaLabel": "property s", "XAyatanaLabelGuide": "property s",
        "NewTitle": "signal - -", "NewIcon": "signal - -", "NewAttentionIcon": "signal - -",
        "NewOverlayIcon": "signal - -", "NewToolTip": "signal - -", "NewStatus": "signal s -",
        "XAyatanaNewLabel": "signal ss -",
      ])
    #expect(
      try run.members(of: name, TrayRun.menu.path, TrayRun.menu.interface) == [
        "GetLayout": "method iias u(ia{sv}av)", "GetGroupProperties": "method aias a(ia{sv})",
        "GetProperty": "method is v", "Event": "method isvu -", "EventGroup": "method a(isvu) ai",
        "AboutToShow": "method i b", "AboutToShowGroup": "method ai aiai",
        "Version": "property u", "Status": "property s", "TextDirection": "property s",
        "IconThemePath": "property as", "ItemsPropertiesUpdated": "signal a(ia{sv})a(ias) -",
        "LayoutUpdated": "signal ui -", "ItemActivationRequested": "signal iu -",
      ])
    let expected: [String: JSONValue] = [
      "Category": "ApplicationStatus", "Id": "nightjar", "Menu": "/MenuBar", "ItemIsMenu": true,
      "Status": "Active", "IconName": "nightjar", "XAyatanaLabel": "",
      "AttentionIconName": "nightjar-ringing",
      "ToolTip": ["", [], "Nightjar", "No timer"],
    ]
    for (property, value) in expected { #expect(try tray.item(property) == value, "\(property)") }
  }

  @Test func `Signals say that the menu, the tool tip and the icon are new`() throws {
    let monitor = try tray.run.monitor("type='signal',path_namespace='/'")
    try client.timer(.start(name: "tea", durationUsec: second))
    for signal in ["LayoutUpdated", "NewToolTip"] {
      try monitor.lines.pick(signal) { $0.contains(signal) }
    }
    monitor.lines.passAll()
    try daemon.awaitTimer("tea") { $0.ringing == .ringing }
    for signal in ["NewIcon", "NewStatus", "NewToolTip"] {
      try monitor.lines.pick(signal) { $0.contains(signal) }
    }
    #expect(try tray.item("Status") == "NeedsAttention")
    #expect(try tray.item("IconName") == "nightjar-ringing")
    // This panel shows no label.
    #expect(!monitor.lines.all.contains { $0.contains("XAyatanaNewLabel") })
    #expect(try tray.item("XAyatanaLabel") == "")
  }

  @Test func `A countdown can be paused, resumed, made longer and stopped`() throws {
    try start("tea")
    let entry = try #require(tray.entries().first)
    #expect(entry.label.contains(/^(1:00:00|01:00:00|59:\d\d)  tea$/), "\(entry.label)")
    #expect(entry.children.map(\.label) == ["Pause", "One minute more", "Stop"])
    try tray.click(entry["One minute more"])
    try daemon.awaitTimer("tea") { $0.durationUsec == hour + 60 * second }
    try tray.click(entry["Pause"])
    try daemon.awaitTimer("tea") { $0.state == .paused }
    try awaitTrue("Resume") { try tray.entries().first?["Resume"] != nil }
    try tray.click(tray.entries().first?["Resume"])
    try daemon.awaitTimer("tea") { $0.state == .running }
    try awaitTrue("Stop") { try tray.entries().first?["Pause"] != nil }
    try tray.click(tray.entries().first?["Stop"])
    try daemon.awaitTimer("tea") { $0.state == .cancelled }
    try awaitTrue("no timer") { try tray.labels() == ["No timer"] }
    // The last change was a slip.
    try tray.click(tray.entries().first { $0.label == "Undo the last change" })
    try daemon.awaitTimer("tea") { $0.state == .running }
  }

  @Test func `A ring can be snoozed and dismissed, also by a click beside the menu`() throws {
    try client.timer(.start(name: "tea", durationUsec: second / 10))
    try daemon.awaitTimer("tea") { $0.ringing == .ringing }
    try awaitTrue("the ring") { try tray.entries().first?["Dismiss"] != nil }
    #expect(try #require(tray.labels().first).contains(/^tea: rang at \d\d:\d\d$/))
    try tray.click(tray.entries().first?["Snooze 5 min"])
    try daemon.awaitTimer("tea") { $0.ringing == .snoozed }
    try awaitTrue("the snooze") { try #require(tray.labels().first).hasSuffix("  tea") }
    try tray.click(tray.entries().first?["Dismiss"])
    try daemon.awaitEnd(of: "tea")
    try client.timer(.start(name: "eggs", durationUsec: second / 10))
    try awaitTrue("the ring") { try tray.item("Status") == "NeedsAttention" }
    // A click is for the menu. A middle click dismisses the ring.
    let refused = try tray.run.callIfPossible(
      tray.name, TrayRun.item.path, TrayRun.item.interface, ["Activate", "ii", "0", "0"])
    #expect(refused == nil)
    #expect(try client.timer(.get(name: "eggs")).ringing != nil)
    _ = try tray.run.call(
      tray.name, TrayRun.item.path, TrayRun.item.interface, "SecondaryActivate", "ii", "0", "0")
    try daemon.awaitEnd(of: "eggs")
    try awaitTrue("quiet") { try tray.item("Status") == "Active" }
  }

  @Test func `The menu starts timers of a few lengths, and the pomodoro`() throws {
    let start = try #require(try tray.entries().first { $0.label == "Start" })
    #expect(
      start.children.map(\.label) == ["5 min", "10 min", "15 min", "25 min", "45 min", "Pomodoro"])
    try tray.click(start["25 min"])
    try awaitTrue("a timer") { try client.names().count == 1 }
    try tray.click(start["Pomodoro"])
    try daemon.awaitTimer("pomodoro") { $0.step?.name == "work" }
  }

  @Test(arguments: hostileNames)
  func `A hostile name is shown as it is`(name: String) throws {
    try start(name)
    let visible = shownName(name)
    #expect(try #require(tray.labels().first).hasSuffix("  \(visible.replacing("_", with: "__"))"))
    // Panels do not agree on markup in a tool tip, so it has no characters of markup.
    let tip = try tray.item("ToolTip")?.arrayValue?[3].stringValue
    let plain = visible.replacing("&", with: "＆").replacing("<", with: "‹")
      .replacing(">", with: "›")
    #expect(tip?.contains("\(plain): rings at ") == true, "\(tip ?? "")")
    try tray.click(tray.entries().first?["Pause"])
    try daemon.awaitTimer(name) { $0.state == .paused }
  }

  @Test func `A panel can ask for parts of the menu, and send several events at once`() throws {
    try start("tea")
    let entry = try #require(tray.entries().first)
    let shallow = try tray.menu("GetLayout", "iias", "0", "1", "0")
    #expect(try TrayRun.Entry(shallow[1]).children[0].children.isEmpty)
    let below = try tray.menu("GetLayout", "iias", "\(entry.id)", "-1", "1", "label")
    #expect(try TrayRun.Entry(below[1]).children.count == 3)
    let some = try tray.menu("GetGroupProperties", "aias", "2", "\(entry.id)", "99", "0")
    #expect(some[0].arrayValue?.count == 1)
    #expect(
      try tray.menu("GetProperty", "is", "\(entry.children[0].id)", "label")[0]["data"] == "Pause")
    let (name, menu) = (tray.name, TrayRun.menu)
    for arguments in [
      ["GetLayout", "iias", "4711", "-1", "0"], ["GetProperty", "is", "0", "label"],
    ] {
      #expect(
        try tray.run.callIfPossible(name, menu.path, menu.interface, arguments) == nil)
    }
    #expect(
      try tray.menu(
        "EventGroup", "a(isvu)", "3", "0", "opened", "s", "", "0", "\(entry["Pause"]!.id)",
        "clicked", "i", "0", "0", "4711", "clicked", "s", "", "0") == [[]])
    try daemon.awaitTimer("tea") { $0.state == .paused }
    #expect(try tray.menu("AboutToShow", "i", "0") == [false])
    #expect(try tray.menu("AboutToShowGroup", "ai", "1", "0") == [[], []])
  }

  @Test func `Seconds are sent while a menu is open, and no longer`() throws {
    // Their seconds do not end at the same moments, and are sent together.
    for name in ["tea", "nap", "soup"] { try client.timer(.start(name: name, durationUsec: hour)) }
    try awaitTrue("them in the menu") { try tray.labels().count == 3 }
    let monitor = try tray.run.monitor("type='signal',member='ItemsPropertiesUpdated'")
    _ = try tray.menu("AboutToShow", "i", "0")
    let sinceUsec = Now.boottimeUsec
    for _ in 0..<4 { try monitor.lines.next("a second") { $0.contains("ItemsProperties") } }
    #expect(Now.boottimeUsec - sinceUsec > 2 * second)
    _ = try tray.menu("Event", "isvu", "0", "closed", "s", "", "0")
    monitor.lines.passAll()
    // What takes a few seconds is another timer.
    try client.timer(.start(name: "eggs", durationUsec: 3 * second))
    try daemon.awaitTimer("eggs") { $0.ringing == .ringing }
    #expect(monitor.lines.all.count(where: { $0.contains("ItemsProperties") }) <= 5)
  }
}

/// The tray when the daemon or the panel comes and goes.
@Suite(.blocking) struct TrayLossTests {
  @Test func `It registers when a panel appears, and with each later one`() throws {
    let tray = try TrayRun(isEarly: false)
    for _ in 0..<5 {
      try tray.startPanel()
      try tray.awaitRegistration()
      tray.stopPanel()
    }
  }

  @Test func `The label counts in a panel of GNOME, and ends with it`() throws {
    let tray = try TrayRun(isGnome: true)
    let monitor = try tray.run.monitor("type='signal',member='XAyatanaNewLabel'")
    try tray.run.daemon.connect().timer(.start(name: "tea", durationUsec: 4 * second))
    for _ in 0..<4 { try monitor.lines.next("a label") { $0.contains("XAyatanaNewLabel") } }
    try tray.run.daemon.awaitTimer("tea") { $0.ringing == .ringing }
    try awaitTrue("the name of what rings") { try tray.item("XAyatanaLabel") == "tea" }
    tray.stopPanel()
    try awaitTrue("no label") { try tray.item("XAyatanaLabel") == "" }
  }

  @Test func `Without a daemon it says so, and shows the timers when it is back`() throws {
    let tray = try TrayRun()
    try tray.run.daemon.connect().timer(.start(name: "tea", durationUsec: hour))
    try awaitTrue("tea") { try tray.labels() != ["No timer"] }
    try tray.run.daemon.crash()
    try awaitTrue("the absence") { try tray.labels() == ["nightjard does not answer"] }
    #expect(try tray.item("XAyatanaLabel") == "")
    try tray.run.startDaemon()
    try awaitTrue("tea") { try tray.labels().first?.hasSuffix("  tea") == true }
  }

  @Test func `After each of 50 kills of the daemon, the menu has what is there`() throws {
    let tray = try TrayRun()
    try tray.run.survive50Kills { names in
      let labels = try tray.labels()
      guard let name = names.first else { return labels == ["No timer"] }
      return labels.count == 1 && labels[0].hasSuffix("  \(name)")
    }
  }

  @Test func `It ends with the session`() throws {
    let tray = try TrayRun()
    tray.tray.signal(SIGTERM)
    #expect(try tray.tray.awaitEnd() == .exited(0))
  }
}
