import Glibc
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarSystem

extension Logind.Event: Equatable {
  static func == (left: Self, right: Self) -> Bool { "\(left)" == "\(right)" }
}

/// Each test has a bus of its own; they run one after the other, because each starts several
/// processes.
@Suite(.blocking, .serialized) struct LogindTests {
  private let loop: EventLoop
  private let bus: PrivateBus
  private let listener: Listener

  /// Collects logind's events, except those about the user's presence.
  private final class Listener {
    var events: [Logind.Event] = []
    var refusals: [String] = []
    var logind: Logind?

    func start(on loop: EventLoop, at address: String) throws -> Logind {
      let logind = Logind(loop: loop, address: address) { [unowned self] event in
        switch event {
        case .inhibitorRefused(_, let refusal): refusals.append("\(refusal.reason)")
        case .presence: break
        case .prepareForSleep, .available, .unavailable: events.append(event)
        }
      }
      self.logind = logind
      return logind
    }
  }

  init() throws {
    loop = try EventLoop()
    bus = try PrivateBus()
    listener = Listener()
  }

  private func start() throws -> Logind { try listener.start(on: loop, at: bus.address) }

  private func startAvailable() throws -> Logind {
    try bus.start()
    let logind = try start()
    try expectNext(.available(preparing: false))
    return logind
  }

  /// Awaits as many events, checks that there were no others before, and forgets them.
  private func expectNext(
    _ events: Logind.Event..., at location: SourceLocation = #_sourceLocation
  ) throws {
    _ = try pump(loop) { listener.events.count >= events.count }
    #expect(listener.events == events, sourceLocation: location)
    listener.events = []
  }

  /// Reads the property. Calls are answered in order: when this answer has come, all earlier ones
  /// have.
  private func preparing(_ logind: Logind) throws -> Bool? {
    var preparing: Bool??
    logind.readPreparingForSleep { preparing = $0 }
    #expect(preparing == nil)
    #expect(try pump(loop) { preparing != nil })
    return preparing ?? nil
  }

  private func takeInhibitor(_ logind: Logind) throws {
    logind.takeInhibitor()
    #expect(try pump(loop) { logind.holdsInhibitor })
    #expect(
      try bus.inhibitors().contains(
        "1 \"sleep\" \"Nightjar\" \"Persist timers before sleep\" \"delay\""))
  }

  /// The mock notices a closed inhibitor in a later iteration of its own loop.
  private func expectNoInhibitor() throws {
    var list = ""
    #expect(
      try pump(
        loop,
        until: {
          loop.requestIteration()
          list = (try? bus.inhibitors()) ?? ""
          return list == "a(ssssuu) 0"
        }), "\(list)")
  }

  // MARK: Signals and inhibitors

  @Test func `Sleep and its end are reported`() throws {
    let logind = try startAvailable()
    #expect(logind.unavailableReason == nil)
    for sleeps in [true, false] {
      try bus.emitPrepareForSleep(sleeps)
      try expectNext(.prepareForSleep(sleeps))
    }
  }

  @Test func `An inhibitor is taken, released, and taken again`() throws {
    let logind = try startAvailable()
    #expect(!logind.holdsInhibitor)
    try takeInhibitor(logind)
    logind.releaseInhibitor()
    #expect(!logind.holdsInhibitor)
    try expectNoInhibitor()
    try takeInhibitor(logind)
  }

  @Test func `An inhibitor that is released before its grant is dropped when it comes`() throws {
    let logind = try startAvailable()
    logind.takeInhibitor()
    logind.releaseInhibitor()
    _ = try preparing(logind)
    #expect(!logind.holdsInhibitor)
    try expectNoInhibitor()
    // Released and requested again while the first is on its way: only the second is held.
    logind.takeInhibitor()
    logind.releaseInhibitor()
    try takeInhibitor(logind)
    #expect(try bus.inhibitors().hasPrefix("a(ssssuu) 1 "))
  }

  @Test func `A held inhibitor is not requested again`() throws {
    let logind = try startAvailable()
    try takeInhibitor(logind)
    try bus.refuseInhibitors()
    logind.takeInhibitor()
    _ = try preparing(logind)
    #expect(logind.holdsInhibitor)
    #expect(listener.refusals == [])
  }

  @Test func `A refused inhibitor is reported with logind's reason`() throws {
    let logind = try startAvailable()
    try bus.refuseInhibitors()
    logind.takeInhibitor()
    #expect(try pump(loop) { listener.refusals == ["not today"] })
    #expect(!logind.holdsInhibitor)
    #expect(logind.unavailableReason == nil)
  }

  @Test func `A sleep that is in progress at the start is reported`() throws {
    try bus.start(preparing: true)
    _ = try start()
    try expectNext(.available(preparing: true))
  }

  @Test func `Signals about sleep from senders other than logind are ignored`() throws {
    let logind = try startAvailable()
    let name = try #require(logind.uniqueName)
    try bus.forgePrepareForSleep(to: name)
    try bus.emitPrepareForSleep(true)
    try bus.emitPrepareForSleep(false)
    try expectNext(.prepareForSleep(true), .prepareForSleep(false))
  }

  // MARK: PreparingForSleep

  @Test func `The property is read on request`() throws {
    let logind = try startAvailable()
    #expect(try preparing(logind) == false)
    try bus.setPreparingForSleep(true)
    #expect(try preparing(logind) == true)
  }

  @Test func `Signals from before a resynchronisation are dropped, later ones are not`() throws {
    let logind = try startAvailable()
    // As after a long stop: a whole sleep went by, and a second one began.
    try bus.emitPrepareForSleep(true)
    try bus.emitPrepareForSleep(false)
    try bus.emitPrepareForSleep(true)
    try bus.setPreparingForSleep(true)
    var preparing: Bool??
    logind.resynchronise { preparing = $0 }
    #expect(try pump(loop) { preparing != nil })
    #expect(preparing == true)
    #expect(listener.events == [])
    try bus.emitPrepareForSleep(false)
    try expectNext(.prepareForSleep(false))
  }

  @Test func `Without a bus the read returns nil, because the property cannot be read`() throws {
    let logind = try start()
    var answers: [Bool?] = []
    logind.readPreparingForSleep { answers.append($0) }
    logind.resynchronise { answers.append($0) }
    #expect(answers.isEmpty)
    #expect(try pump(loop) { answers.count == 2 })
    #expect(answers == [nil, nil])
  }

  // MARK: logind comes and goes

  @Test func `When logind restarts, the inhibitor is void and the property is read again`() throws {
    let logind = try startAvailable()
    try takeInhibitor(logind)
    bus.stopLogind()
    try expectNext(.unavailable(reason: "logind has left the system bus"))
    #expect(logind.unavailableReason == "logind has left the system bus")
    #expect(!logind.holdsInhibitor)
    // No logind can grant it now; the receiver takes it when one is available.
    logind.takeInhibitor()
    try settle()

    try bus.startLogind(preparing: true)
    try expectNext(.available(preparing: true))
    #expect(!logind.holdsInhibitor)
    try takeInhibitor(logind)
    #expect(listener.refusals == [])
    try bus.emitPrepareForSleep(false)
    try expectNext(.prepareForSleep(false))
  }

  @Test func `On a bus without a logind there are no retries`() throws {
    try bus.startBus()
    let logind = try start()
    #expect(try pump(loop) { !listener.events.isEmpty })
    #expect(try #require(logind.unavailableReason).hasPrefix("logind does not answer: "))
    try expectNoWakeUps(loop)
    listener.events = []
    try bus.startLogind()
    try expectNext(.available(preparing: false))
  }

  @Test func `A logind that hangs is asked again until it answers`() throws {
    // libsystemd reads the time limit of a call from the environment, so the test runs in a process
    // of its own.
    try Role.alone {
      setenv("SYSTEMD_BUS_TIMEOUT", "200ms", 1)
      let loop = try EventLoop()
      let bus = try PrivateBus()
      try bus.start()
      try bus.hangLogind()
      var events: [Logind.Event] = []
      let logind = Logind(loop: loop, address: bus.address) {
        if case .presence = $0 { return }
        events.append($0)
      }
      #expect(try pump(loop) { !events.isEmpty })
      #expect(try #require(logind.unavailableReason).hasPrefix("logind does not answer: "))
      // Asked again at once, and again after a second; the same reason is reported once.
      #expect(try pump(loop, within: 0.5) { events.count > 1 } == false)
      try bus.unhangLogind()
      #expect(try pump(loop) { events.last == .available(preparing: false) })
      #expect(events.count == 2)
    }
  }

  // MARK: The bus comes and goes

  @Test func `Without a system bus the reason is reported, and the process is not woken`() throws {
    guard Role.current == "in a quiet folder" else {
      // sd-bus watches the folders above the socket, and the usual folder for temporary files is
      // busy.
      let prepare = "mount -t tmpfs none /run && export TMPDIR=/run && exec \"$@\""
      return try Role.play(
        "in a quiet folder", inTest: "Without a system bus the reason is reported",
        through: Role.unshare + ["--mount", "sh", "-c", prepare, "sh"])
    }
    let logind = try start()
    #expect(try #require(logind.unavailableReason) == "not connected to the system bus yet")
    let path = bus.address.dropFirst("unix:path=".count)
    let reason = "no system bus: \(path) does not exist"
    try expectNext(.unavailable(reason: reason))
    #expect(logind.unavailableReason == reason)
    try expectNoWakeUps(loop)

    // The bus appears later, and nothing has polled for it.
    try bus.start()
    #expect(try pump(loop) { listener.events.contains(.available(preparing: false)) })
  }

  @Test func `An invalid address is a reason, not a failure`() throws {
    let logind = try listener.start(on: loop, at: "nonsense")
    #expect(try pump(loop) { !listener.events.isEmpty })
    #expect(logind.unavailableReason == "connect to the bus at nonsense: Connection refused")
    try expectNoWakeUps(loop)
  }

  @Test func `A bus that is lost is found again`() throws {
    let logind = try startAvailable()
    try takeInhibitor(logind)
    // A call that is pending when the bus goes is answered too.
    try bus.hangLogind()
    var answers: [Bool?] = []
    logind.readPreparingForSleep { answers.append($0) }
    logind.resynchronise { answers.append($0) }
    try settle()
    bus.stopBus()
    #expect(try pump(loop) { !listener.events.isEmpty })
    let lost = "the connection to the system bus was lost"
    #expect(listener.events.first == .unavailable(reason: lost))
    #expect(answers == [nil, nil])
    #expect(!logind.holdsInhibitor)

    bus.stopLogind()
    try bus.start()
    #expect(try pump(loop) { listener.events.contains(.available(preparing: false)) })
    try takeInhibitor(logind)
    try bus.emitPrepareForSleep(true)
    #expect(try pump(loop) { listener.events.last == .prepareForSleep(true) })
  }

  /// Runs the blocks that were left for later.
  private func settle() throws {
    var settled = false
    loop.later { settled = true }
    #expect(try pump(loop) { settled })
  }

  // MARK: The end

  @Test func `A logind that is dropped within its own callback leaves the bus`() throws {
    try bus.start()
    var logind: Logind?
    weak var gone: Logind?
    var name: String?
    logind = Logind(loop: loop, address: bus.address) { event in
      guard event == .available(preparing: false) else { return }
      name = logind?.uniqueName
      logind?.takeInhibitor()
      logind = nil
    }
    gone = logind
    #expect(try pump(loop) { name != nil })
    try settle()
    #expect(gone == nil)
    let former = try #require(name)
    #expect(
      try pump(
        loop,
        until: {
          loop.requestIteration()
          return (try? bus.isOnBus(former)) == false
        }))
    try expectNoInhibitor()
  }
}
