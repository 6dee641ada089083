internal import NightjarClient
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Timers in the trays of panels: a StatusNotifierItem with a menu of com.canonical.dbusmenu.
public final class Tray {
  /// Runs the program with the process's arguments, and returns its exit code.
  public static func run(_ arguments: [String]) -> Int32 {
    Face.run(
      arguments, program: "nightjar-tray",
      summary: "Timers in the tray of a panel; see nightjar-faces(7)."
    ) { socket, address in try Tray(socket: socket, address: address).run() }
  }

  private static let watcher = "org.kde.StatusNotifierWatcher"
  private static let item = (interface: "org.kde.StatusNotifierItem", path: "/StatusNotifierItem")
  private static let menu = (interface: "com.canonical.dbusmenu", path: "/MenuBar")
  /// The widest label, so that the panel does not move when the label changes.
  private static let guide = "00:00:00"
  /// How long a menu counts as open after the panel has asked for it, in microseconds. Not all
  /// panels say that a menu is closed.
  private static let openUsec: Int64 = 120_000_000

  private var face: Face!
  private var tick: TimerSource?
  private var maker = TrayMenu()
  private var shown: [ShownTimer] = []
  private var root = TrayEntry(id: 0)
  private var revision: UInt32 = 1
  private var look = TrayLook()
  /// Until when a menu counts as open, on CLOCK_BOOTTIME.
  private var openUntilUsec: Int64 = 0
  /// Whether the panel shows labels. Most show none, and then nothing needs to count.
  private var showsLabel = false

  private init(socket: String, address: String) throws(SystemError) {
    face = try Face(
      program: "nightjar-tray", socket: socket, address: address,
      connected: { [weak self] in self?.register() },
      changed: { [weak self] in self?.timersChanged() })
    tick = try face.loop.timer(on: .boottime) { [weak self] in self?.timePassed() }
    try face.bus.add(itemObject, at: Self.item.path)
    try face.bus.add(menuObject, at: Self.menu.path)
    let bus = "org.freedesktop.DBus"
    try face.bus.match(
      "type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',"
        + "arg0='\(Self.watcher)'"
    ) { [weak self] message in
      guard message.sender == bus, message.readString() != nil, message.readString() != nil
      else { return }
      if message.readString() == "" { self?.showLabel(false) } else { self?.register() }
    }
    timersChanged()
  }

  private func run() throws(SystemError) -> Int32 { try face.run() }

  /// Registers the item. Without a watcher this fails, and is repeated when one appears.
  ///
  /// The item has the unique name of the connection. If it had the name of the specification,
  /// GNOME's extension could lose it: that fails if it learns of the name while it makes the icon.
  private func register() {
    guard let name = face.bus.uniqueName else { return }
    do throws(SystemError) {
      try face.call(
        Self.watcher, "/StatusNotifierWatcher", Self.watcher, "RegisterStatusNotifierItem",
        [.string(name)]
      ) { [weak self] reply in
        switch reply {
        case .success(let message): self?.askForLabels(of: message.sender)
        case .failure(_, let text): Log.write(.info, "no panel has a tray: \(text)")
        }
      }
    } catch {
      Log.write(.warning, "\(error)")
    }
  }

  /// A panel does not say whether it shows labels. GNOME Shell does, by an extension.
  private func askForLabels(of watcher: String?) {
    let bus = "org.freedesktop.DBus"
    do throws(SystemError) {
      try face.call(
        bus, "/org/freedesktop/DBus", bus, "GetNameOwner", [.string("org.gnome.Shell")]
      ) { [weak self] reply in
        guard case .success(let message) = reply else { return }
        self?.showLabel(message.readString() == watcher)
      }
    } catch {
      Log.write(.warning, "\(error)")
    }
  }

  private func showLabel(_ isShown: Bool) {
    showsLabel = isShown
    timersChanged()
  }

  // MARK: - What is shown

  private func timersChanged() {
    shown = face.timers.timers.values.filter(\.isListed).sorted(by: ShownTimer.isBefore)
    let now = Clocks.read()
    let menu = maker.menu(shown, absence: face.timers.absence, at: now)
    if menu.hasShape(of: root) {
      sendLabels(menu)
    } else {
      root = menu
      revision += 1
      emitMenu("LayoutUpdated", .uint32(revision), .int32(0))
    }
    showLook(at: now)
    armTick(at: now)
  }

  private func timePassed() {
    let now = Clocks.read()
    if isOpen(at: now) { sendLabels(maker.menu(shown, absence: face.timers.absence, at: now)) }
    if showsLabel { showLook(at: now) }
    armTick(at: now)
  }

  /// Arms the timer for the next second, if somebody sees that it passes. The seconds are those of
  /// the timer that rings next, so there is one wake-up in a second for all timers.
  private func armTick(at now: Moment) {
    let change = shown.lazy.compactMap { $0.changeUsec(after: now) }.first
    let isSeen = showsLabel || isOpen(at: now)
    tick?.arm(atUsec: isSeen ? change.map { now.boottimeUsec + $0 } : nil)
  }

  private func isOpen(at now: Moment) -> Bool { now.boottimeUsec < openUntilUsec }

  /// Sends the entries whose texts or actions have changed.
  private func sendLabels(_ menu: TrayEntry) {
    let changed = zip(root.all, menu.all).filter { $0.label != $1.label }.map { $1 }
    root = menu
    guard !changed.isEmpty else { return }
    emitMenu(
      "ItemsPropertiesUpdated",
      .array(
        of: "(ia{sv})", changed.map { .structure([.int32($0.id), .variants($0.properties)]) }),
      .array(of: "(ias)", []))
  }

  private func showLook(at now: Moment) {
    var new = TrayLook(shown, absence: face.timers.absence, at: now)
    if !showsLabel { new.label = "" }
    let old = look
    look = new
    if new.icon != old.icon { emitItem("NewIcon") }
    if new.status != old.status { emitItem("NewStatus", .string(new.status)) }
    if new.toolTip != old.toolTip { emitItem("NewToolTip") }
    if new.label != old.label {
      emitItem("XAyatanaNewLabel", .string(new.label), .string(Self.guide))
    }
  }

  private func emitItem(_ signal: String, _ arguments: BusArgument...) {
    emit(signal, of: Self.item, arguments)
  }

  private func emitMenu(_ signal: String, _ arguments: BusArgument...) {
    emit(signal, of: Self.menu, arguments)
  }

  private func emit(
    _ signal: String, of object: (interface: String, path: String), _ arguments: [BusArgument]
  ) {
    // Before the bus has accepted the connection, nobody knows the item.
    guard face.bus.isConnected else { return }
    face.emit(signal, of: object.interface, at: object.path, arguments)
  }

  // MARK: - The item

  private var itemObject: BusObject {
    BusObject(
      Self.item.interface,
      methods: [
        // On a click, some panels ask for this first, in spite of ItemIsMenu. Plasma shows the menu
        // after a refusal.
        .init("Activate", takes: "ii") { call in call.refuse("the item is a menu") },
        .init("SecondaryActivate", takes: "ii", answersRing),
        // The panel shows the menu itself.
        .init("ContextMenu", takes: "ii") { call in call.answer() },
        .init("Scroll", takes: "is") { call in call.answer() },
      ],
      properties: [
        .init("Category", "s") { .string("ApplicationStatus") },
        .init("Id", "s") { .string("nightjar") },
        .init("Title", "s") { .string("Nightjar") },
        .init("WindowId", "i") { .int32(0) },
        .init("ItemIsMenu", "b") { .boolean(true) },
        .init("Menu", "o") { .path(Self.menu.path) },
        text("Status") { $0.status },
        text("IconName") { $0.icon },
        .init("AttentionIconName", "s") { .string(TrayLook.ringingIcon) },
        .init("OverlayIconName", "s") { .string("") },
        .init("ToolTip", "(sa(iiay)ss)") { [weak self] in
          .structure([
            .string(""), .array(of: "(iiay)", []), .string("Nightjar"),
            .string(self?.look.toolTip ?? ""),
          ])
        },
        text("XAyatanaLabel") { $0.label },
        .init("XAyatanaLabelGuide", "s") { .string(Self.guide) },
      ],
      signals: [
        "NewTitle": "", "NewIcon": "", "NewAttentionIcon": "", "NewOverlayIcon": "",
        "NewToolTip": "", "NewStatus": "s", "XAyatanaNewLabel": "ss",
      ])
  }

  private func text(_ name: String, _ part: @escaping (TrayLook) -> String) -> BusObject.Property {
    .init(name, "s") { [weak self] in .string(self.map { part($0.look) } ?? "") }
  }

  /// A middle click dismisses what rings, and does nothing else.
  private func answersRing(_ call: BusCall) {
    if let ring = shown.first, ring.hasRung { face.send(FaceCommand("Dismiss", toRingOf: ring)) }
    call.answer()
  }

  // MARK: - The menu

  private var menuObject: BusObject {
    BusObject(
      Self.menu.interface,
      methods: [
        .init("GetLayout", takes: "iias", gives: "u(ia{sv}av)") { [weak self] call in
          guard let self else { return }
          let (parent, depth) = (call.message.readInt32() ?? 0, call.message.readInt32() ?? -1)
          guard let entry = root.entry(parent) else { return call.refuse("no entry \(parent)") }
          call.answer(.uint32(revision), entry.layout(depth: depth))
        },
        .init("GetGroupProperties", takes: "aias", gives: "a(ia{sv})") { [weak self] call in
          let ids = call.message.readArray(of: "i") { call.message.readInt32() } ?? []
          let entries = (self?.root.all ?? []).filter { ids.isEmpty || ids.contains($0.id) }
          call.answer(
            .array(
              of: "(ia{sv})",
              entries.map { .structure([.int32($0.id), .variants($0.properties)]) }))
        },
        .init("GetProperty", takes: "is", gives: "v") { [weak self] call in
          let (id, name) = (call.message.readInt32() ?? 0, call.message.readString() ?? "")
          let found = self?.root.entry(id)?.properties.first { $0.key == name }
          guard let found else { return call.refuse("entry \(id) has no \(name)") }
          call.answer(.variant(found.value))
        },
        .init("Event", takes: "isvu") { [weak self] call in
          self?.readEvent(call)
          call.answer()
        },
        .init("EventGroup", takes: "a(isvu)", gives: "ai") { [weak self] call in
          _ = call.message.readArray(of: "(isvu)") {
            call.message.readStructure(of: "isvu") { self?.readEvent(call) }
          }
          call.answer(.array(of: "i", []))
        },
        .init("AboutToShow", takes: "i", gives: "b") { [weak self] call in
          self?.menuOpens()
          call.answer(.boolean(false))
        },
        .init("AboutToShowGroup", takes: "ai", gives: "aiai") { [weak self] call in
          self?.menuOpens()
          call.answer(.array(of: "i", []), .array(of: "i", []))
        },
      ],
      properties: [
        .init("Version", "u") { .uint32(3) },
        .init("Status", "s") { [weak self] in
          .string(self?.look.status == TrayLook.attention ? "notice" : "normal")
        },
        .init("TextDirection", "s") { .string("ltr") },
        .init("IconThemePath", "as") { .strings([]) },
      ],
      signals: [
        "ItemsPropertiesUpdated": "a(ia{sv})a(ias)", "LayoutUpdated": "ui",
        "ItemActivationRequested": "iu",
      ])
  }

  /// Reads the members of an event, and does what it asks for.
  private func readEvent(_ call: BusCall) {
    let (id, kind) = (call.message.readInt32() ?? 0, call.message.readString() ?? "")
    call.message.skip("v")
    call.message.skip("u")
    switch kind {
    case "clicked": clicked(root.entry(id)?.action)
    case "opened": menuOpens()
    case "closed" where id == 0:
      openUntilUsec = 0
      armTick(at: Clocks.read())
    default: break
    }
  }

  /// The texts in the panel may be old: while no menu is open, they are not sent.
  private func menuOpens() {
    let now = Clocks.read()
    openUntilUsec = now.boottimeUsec + Self.openUsec
    sendLabels(maker.menu(shown, absence: face.timers.absence, at: now))
    armTick(at: now)
  }

  private func clicked(_ action: TrayEntry.Action?) {
    switch action {
    case .command(let command): face.send(command)
    case .words(let words):
      face.timers.ask("\(Wire.Understand.method)", JSONValue(Wire.Understand(words: words))) {
        [weak self] answer in
        guard let reply = try? Wire.Understand.Reply(answer.get()),
          let start = reply.readings.first?.start.flatMap({ try? Wire.Start($0) })
        else { return }
        self?.face.send(FaceCommand(start))
      }
    case nil: break
    }
  }
}
