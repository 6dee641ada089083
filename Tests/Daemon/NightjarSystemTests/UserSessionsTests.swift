import Glibc
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarSystem

/// The user's presence, with a mock of logind. The tests run one after the other, because each
/// starts several processes.
@Suite(.blocking, .serialized) struct UserSessionsTests {
  private let loop: EventLoop
  private let bus: PrivateBus
  private let listener = Listener()

  /// Collects the reported presences, in order.
  private final class Listener {
    var reported: [UserPresence] = []
    var logind: Logind?
  }

  private static let noDesktop = UserPresence.unknown(
    reason: "logind knows no graphical session of this user")

  init() throws {
    loop = try EventLoop()
    bus = try PrivateBus()
  }

  /// Listens to a logind that knows the user, who has this session.
  private func start(_ session: PrivateBus.Session? = nil) throws {
    try bus.start()
    try logIn(session)
    listen()
  }

  private func logIn(_ session: PrivateBus.Session?) throws {
    try bus.addUser()
    guard let session else { return }
    try bus.addSession("1", session)
    try bus.listSessions("1")
  }

  private func listen() {
    listener.logind = Logind(loop: loop, address: bus.address) { [listener] in
      if case .presence(let presence) = $0 { listener.reported.append(presence) }
    }
  }

  /// Awaits the next report, and checks that nothing was reported before it.
  private func expectNext(
    _ presence: UserPresence, at location: SourceLocation = #_sourceLocation
  ) throws {
    _ = try pump(loop) { !listener.reported.isEmpty }
    #expect(listener.reported == [presence], sourceLocation: location)
    #expect(listener.logind?.presence == presence, sourceLocation: location)
    listener.reported = []
  }

  // MARK: Hints

  @Test(arguments: ["LockedHint", "IdleHint"])
  func `The user is away while the session is locked or idle, and each change is reported once`(
    hint: String
  ) throws {
    try start(.init())
    try expectNext(.here)
    try bus.setHint(hint, true, of: "1")
    try expectNext(.away)
    // The same value again is not reported.
    try bus.setHint(hint, true, of: "1")
    #expect(try pump(loop, within: 0.2) { !listener.reported.isEmpty } == false)
    try bus.setHint(hint, false, of: "1")
    try expectNext(.here)
  }

  @Test func `A user who unlocks an idle session is away until the session is in use`() throws {
    try start(.init(isLocked: true, isIdle: true))
    try expectNext(.away)
    try bus.setHint("LockedHint", false, of: "1")
    try bus.setHint("IdleHint", false, of: "1")
    try expectNext(.here)
  }

  // MARK: Several sessions

  @Test func `One graphical session in use is enough`() throws {
    try start()
    try bus.addSession("1", .init(type: "x11", isLocked: true))
    try bus.addSession("2", .init())
    try bus.listSessions("1", "2")
    try expectNext(.here)
    try bus.setHint("IdleHint", true, of: "2")
    try expectNext(.away)
    try bus.setHint("LockedHint", false, of: "1")
    try expectNext(.here)
    // The session that is in use ends, and then the other.
    try bus.removeSession("1")
    try bus.listSessions("2")
    try expectNext(.away)
    try bus.removeSession("2")
    try bus.listSessions()
    try expectNext(Self.noDesktop)
  }

  @Test func `A session that begins locked beside a locked one changes nothing meanwhile`() throws {
    try start(.init(isLocked: true))
    try expectNext(.away)
    try bus.addSession("2", .init(isLocked: true))
    try bus.listSessions("1", "2")
    try bus.setHint("LockedHint", false, of: "2")
    try expectNext(.here)
  }

  @Test(arguments: [
    PrivateBus.Session(type: "tty"), .init(class: "greeter"), .init(state: "closing"),
  ])
  func `A terminal, a greeter and a session that is being closed are not desktops`(
    session: PrivateBus.Session
  ) throws {
    try start(session)
    try expectNext(Self.noDesktop)
    // It does not count as a sign of presence either.
    try bus.addSession("2", .init(isLocked: true))
    try bus.listSessions("1", "2")
    try expectNext(.away)
  }

  @Test func `Sessions begin and end, and one that is listed after its end does not count`() throws
  {
    try start()
    try expectNext(Self.noDesktop)
    try bus.addSession("1", .init())
    try bus.listSessions("1")
    try expectNext(.here)
    try bus.setState("closing", of: "1")
    try expectNext(Self.noDesktop)
    try bus.setState("active", of: "1")
    try expectNext(.here)
    // Session 2 has ended by the time the daemon asks about it.
    try bus.setHint("LockedHint", true, of: "1")
    try expectNext(.away)
    try bus.listSessions("1", "2")
    try bus.setHint("LockedHint", false, of: "1")
    try expectNext(.here)
    try bus.listSessions("2")
    try expectNext(Self.noDesktop)
  }

  // MARK: Other users

  @Test func `Sessions of another user are ignored, and wake nothing`() throws {
    let other = getuid() + 1
    try start()
    try bus.addUser(other)
    try bus.addSession("1", .init(isLocked: true))
    try bus.addSession("2", .init())
    try bus.listSessions("1")
    try bus.listSessions("2", of: other)
    try expectNext(.away)
    try expectNoWakeUps(loop) {
      try bus.setHint("IdleHint", true, of: "2")
      try bus.setHint("IdleHint", false, of: "2")
      try bus.listSessions(of: other)
    }
    try bus.setHint("LockedHint", false, of: "1")
    try expectNext(.here)
  }

  // MARK: logind

  @Test func `A user whom logind does not know has no desktop before logging in`() throws {
    try bus.start()
    listen()
    #expect(listener.logind?.presence == .unknown(reason: "logind has not been asked yet"))
    try expectNext(Self.noDesktop)
    try logIn(.init())
    try expectNext(.here)
  }

  @Test func `A logind that vanishes reports nothing more, and the next is asked anew`() throws {
    try start(.init(isLocked: true))
    try expectNext(.away)
    bus.stopLogind()
    try expectNext(.unknown(reason: "logind has left the system bus"))
    // The new logind has no hints from before its restart.
    try bus.startLogind()
    try expectNext(Self.noDesktop)
    try logIn(.init())
    try expectNext(.here)
    // Signals of the same path are received, and once.
    try bus.setHint("LockedHint", true, of: "1")
    try expectNext(.away)
    // So are those over another bus.
    bus.stopBus()
    try expectNext(.unknown(reason: "the connection to the system bus was lost"))
    bus.stopLogind()
    try bus.start()
    try logIn(.init(isLocked: true))
    #expect(try pump(loop) { listener.reported.last == .away })
    listener.reported = []
    try bus.setHint("LockedHint", false, of: "1")
    try expectNext(.here)
  }
}
