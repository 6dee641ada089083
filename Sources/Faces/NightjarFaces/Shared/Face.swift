internal import Glibc
internal import NightjarClient
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// A program on the session bus that shows the daemon's timers: its loop, its connection to the
/// bus, and its timers.
final class Face {
  let loop: EventLoop
  let program: String
  private(set) var bus: BusConnection!
  private(set) var timers: LiveTimers!
  private static let notifications = "org.freedesktop.Notifications"

  /// - Parameters:
  ///   - socket: the path of the daemon's socket.
  ///   - address: the address of the session bus.
  ///   - connected: called when the bus has accepted the connection.
  ///   - changed: called when the timers have changed.
  init(
    program: String, socket: String, address: String, connected: @escaping () -> Void,
    changed: @escaping () -> Void
  ) throws(SystemError) {
    self.program = program
    loop = try EventLoop()
    // The session ends with its bus.
    bus = try BusConnection(
      loop: loop, address: address, onConnected: connected,
      onLost: { [weak self] in self?.loop.exit(0) })
    timers = try LiveTimers(loop: loop, path: socket, changed: changed)
  }

  /// Runs until a signal or `loop.exit` ends it, and returns the exit code.
  func run() throws(SystemError) -> Int32 {
    let sources = try [SIGTERM, SIGINT].map { (signal) throws(SystemError) in
      try loop.watchSignal(signal) { [weak self] _ in self?.loop.exit(0) }
    }
    return try withExtendedLifetime(sources) { () throws(SystemError) in try loop.run() }
  }

  /// Runs a program with the options that all faces have.
  ///
  /// - Parameter body: gets the path of the daemon's socket and the address of the session bus.
  /// - Returns: the exit code.
  static func run(
    _ arguments: [String], program: String, summary: String,
    _ body: (_ socket: String, _ address: String) throws -> Int32
  ) -> Int32 {
    Log.setProgram(program)
    let options = ProgramOptions(
      program: program, version: NightjarVersion.current, summary: summary,
      options: [
        .init(
          "socket", value: "PATH",
          help: ["the daemon's socket (default: $XDG_RUNTIME_DIR/nightjar/socket)"])
      ], flags: [])
    return options.run(arguments) { paths, _ in
      guard let socket = paths["socket"] ?? ProcessEnvironment.socketPath,
        let address = SessionBus.address
      else {
        options.complain("XDG_RUNTIME_DIR is not set, so there is no session bus")
        return 1
      }
      Signals.ignorePipe()
      do { return try body(socket, address) } catch {
        options.complain("it cannot start: \(error)")
        return 1
      }
    }
  }

  func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    _ arguments: [BusArgument], _ done: @escaping (BusConnection.Reply) -> Void
  ) throws(SystemError) {
    try bus.call(
      destination: destination, path: path, interface: interface, member: member,
      arguments: arguments, completion: done)
  }

  /// Sends a signal. If the bus is lost, the loop ends anyway.
  func emit(_ signal: String, of interface: String, at path: String, _ arguments: [BusArgument]) {
    do { try bus.emit(signal, of: interface, at: path, arguments) } catch {
      Log.write(.warning, "\(error)")
    }
  }

  /// Sends what a person asks for to the daemon. A refusal is shown in a popup, because neither a
  /// launcher nor a menu can show it.
  func send(_ command: FaceCommand, _ done: @escaping () -> Void = {}) {
    timers.whenKnown { [weak self] in
      self?.timers.ask(command.method, command.undoable) { answer in
        if case .failure(let error) = answer { self?.show("\(error)") }
        done()
      }
    }
  }

  private func show(_ sentence: String) {
    Log.write(.notice, "refused: \(sentence)")
    // The text is in the summary, because no server reads markup there.
    let notice = Notice(
      summary: VisibleText.visible(sentence), body: "", icon: "nightjar",
      category: "x-nightjar.refusal")
    do {
      try call(
        Self.notifications, "/org/freedesktop/Notifications", Self.notifications, "Notify",
        notice.arguments(replacing: 0, for: [])
      ) { _ in }
    } catch {
      Log.write(.warning, "\(error)")
    }
  }
}
