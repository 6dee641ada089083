internal import NightjarClient
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Timers in the launchers of GNOME and KDE: `org.gnome.Shell.SearchProvider2` and
/// `org.kde.krunner1` on one name. D-Bus starts the program when a launcher asks, and it exits when
/// none has asked for a minute.
public final class Launcher {
  /// Runs the program with the process's arguments, and returns its exit code.
  public static func run(_ arguments: [String]) -> Int32 {
    Face.run(
      arguments, program: "nightjar-launcher",
      summary: "Timers in the launchers of GNOME and KDE; D-Bus starts it. See nightjar-faces(7)."
    ) { socket, address in try Launcher(socket: socket, address: address).run() }
  }

  private static let busName = "org.nightjar.Launcher"
  private static let path = "/org/nightjar/Launcher"
  private static let icon = "nightjar"
  private static let idleUsec: Int64 = 60_000_000
  /// The type of a match of KRunner that fits exactly (QueryMatch::ExactMatch).
  private static let exactMatch: Int32 = 100

  private var face: Face!
  private var idle: TimerSource?

  private init(socket: String, address: String) throws(SystemError) {
    face = try Face(
      program: "nightjar-launcher", socket: socket, address: address,
      connected: { [weak self] in self?.connected() }, changed: {})
    idle = try face.loop.timer(on: .monotonic) { [weak self] in self?.leave() }
    try face.bus.add(gnome, at: Self.path)
    try face.bus.add(krunner, at: Self.path)
  }

  private func run() throws(SystemError) -> Int32 {
    stay()
    return try face.run()
  }

  /// Takes the name, or exits if another launcher has it, which answers then.
  private func connected() {
    // 4: do not wait for the name; 1: this program has it.
    askBus("RequestName", [.string(Self.busName), .uint32(4)]) { [weak self] reply in
      if case .success(let message) = reply, message.readUInt32() == 1 { return }
      self?.face.loop.exit(0)
    }
  }

  private func stay() { idle?.arm(atUsec: Clocks.monotonicUsec() + Self.idleUsec) }

  /// Gives the name back first: the bus then starts another program for the next call, and calls
  /// that came before are answered.
  private func leave() {
    askBus("ReleaseName", [.string(Self.busName)]) { [weak self] _ in self?.face.loop.exit(0) }
  }

  private func askBus(
    _ member: String, _ arguments: [BusArgument], _ done: @escaping (BusConnection.Reply) -> Void
  ) {
    let bus = "org.freedesktop.DBus"
    do throws(SystemError) {
      try face.call(bus, "/org/freedesktop/DBus", bus, member, arguments, done)
    } catch {
      Log.write(.error, "\(error)")
      face.loop.exit(1)
    }
  }

  // MARK: - What both launchers ask

  private func find(_ typed: String, _ done: @escaping ([LauncherResult]) -> Void) {
    let words = LauncherResult.startWords(typed)
    understand(words, nowUsec: nil) { [weak self] readings, now in
      guard let self else { return }
      let timers = face.timers.timers
      done(
        LauncherResult.starts(
          readings, words: words, nowUsec: now.realtimeUsec, timers: timers)
          + LauncherResult.timers(named: typed, of: timers, at: now))
    }
  }

  /// Asks the daemon what words mean. Words that mean nothing have no readings.
  private func understand(
    _ words: String, nowUsec: Int64?, _ done: @escaping ([Wire.Reading], Moment) -> Void
  ) {
    stay()
    face.timers.whenKnown { [weak self] in
      let now = Clocks.read()
      var call = Wire.Understand(words: words)
      call.nowUsec = nowUsec ?? now.realtimeUsec
      self?.face.timers.ask("\(Wire.Understand.method)", JSONValue(call)) { answer in
        let reply = try? answer.get()
        done(reply.flatMap { try? Wire.Understand.Reply($0) }?.readings ?? [], now)
      }
    }
  }

  /// The results of IDs, in their order. IDs that this program did not make, and timers that are
  /// gone, are left out.
  private func results(
    of ids: ArraySlice<String>, _ found: [(id: String, result: LauncherResult)] = [],
    _ done: @escaping ([(id: String, result: LauncherResult)]) -> Void
  ) {
    guard let id = ids.first else { return done(found) }
    let rest = ids.dropFirst()
    switch LauncherChoice(id: id) {
    case .start(let nowUsec, let index, let words):
      understand(words, nowUsec: nowUsec) { [weak self] readings, _ in
        guard let self else { return }
        let result = LauncherResult.starts(
          readings, words: words, nowUsec: nowUsec, timers: face.timers.timers
        ).first { $0.choice == .start(nowUsec: nowUsec, index: index, words: words) }
        results(of: rest, found + [result.map { (id, $0) }].compactMap(\.self), done)
      }
    case .timer(_, _, let name):
      face.timers.whenKnown { [weak self] in
        guard let self else { return }
        let shown = face.timers.timers[name].map { LauncherResult($0, at: Clocks.read()) }
        results(of: rest, found + [shown.map { (id, $0) }].compactMap(\.self), done)
      }
    case nil: results(of: rest, found, done)
    }
  }

  private func activate(_ id: String) {
    stay()
    switch LauncherChoice(id: id) {
    case .start(let nowUsec, let index, let words):
      understand(words, nowUsec: nowUsec) { [weak self] readings, _ in
        guard let self, readings.indices.contains(index), let raw = readings[index].start,
          var start = try? Wire.Start(raw)
        else { return }
        start.replace = start.name.flatMap { face.timers.timers[$0] }?.isListed == true
        face.send(FaceCommand(start))
      }
    case .timer(let operation, _, let name): face.send(FaceCommand(operation.rawValue, name))
    case nil: Log.write(.warning, "no result has the ID '\(VisibleText.visible(id))'")
    }
  }

  // MARK: - GNOME

  private var gnome: BusObject {
    BusObject(
      "org.gnome.Shell.SearchProvider2",
      methods: [
        .init("GetInitialResultSet", takes: "as", gives: "as") { [weak self] call in
          self?.search(call, terms: call.message.readStrings())
        },
        .init("GetSubsearchResultSet", takes: "asas", gives: "as") { [weak self] call in
          _ = call.message.readStrings()
          self?.search(call, terms: call.message.readStrings())
        },
        .init("GetResultMetas", takes: "as", gives: "aa{sv}") { [weak self] call in
          self?.results(of: (call.message.readStrings() ?? [])[...]) { found in
            call.answer(.array(of: "a{sv}", found.map { .variants(Self.meta($0)) }))
          }
        },
        .init("ActivateResult", takes: "sasu") { [weak self] call in
          self?.activate(call.message.readString() ?? "")
          call.answer()
        },
        // The results are all there is: Nightjar has no window to search in.
        .init("LaunchSearch", takes: "asu") { call in call.answer() },
      ])
  }

  private func search(_ call: BusCall, terms: [String]?) {
    find((terms ?? []).joined(separator: " ")) { results in
      call.answer(.strings(results.map(\.choice.id)))
    }
  }

  private static func meta(
    _ found: (id: String, result: LauncherResult)
  ) -> [(key: String, value: BusArgument)] {
    [
      ("id", .string(found.id)), ("name", .string(found.result.text)),
      ("description", .string(found.result.detail)), ("gicon", .string(icon)),
    ]
  }

  // MARK: - KRunner

  private var krunner: BusObject {
    BusObject(
      "org.kde.krunner1",
      methods: [
        .init("Match", takes: "s", gives: "a(sssida{sv})") { [weak self] call in
          self?.find(call.message.readString() ?? "") { results in
            let matches = results.enumerated().map { Self.match($1, place: $0) }
            call.answer(.array(of: "(sssida{sv})", matches))
          }
        },
        .init("Actions", gives: "a(sss)") { [weak self] call in
          self?.stay()
          call.answer(.array(of: "(sss)", []))
        },
        .init("Run", takes: "ss") { [weak self] call in
          self?.activate(call.message.readString() ?? "")
          call.answer()
        },
      ])
  }

  /// KRunner sorts by the relevance, from 1 to 0.
  private static func match(_ result: LauncherResult, place: Int) -> BusArgument {
    .structure([
      .string(result.choice.id), .string(result.text), .string(icon), .int32(exactMatch),
      .double(1 / Double(place + 1)), .variants([("subtext", .string(result.detail))]),
    ])
  }
}
