import CLinux
import Foundation
import NightjarConfig
import NightjarModel
import NightjarSystem
import NightjarTestSupport
import Testing

@testable import NightjarDesktop

/// A notifier for rings of other machines, with a loop and a thread of its own; the test's thread
/// waits for its actions.
final class RemoteDesk {
  struct Pressed: Equatable, Sendable {
    let key: Int
    let answer: RemoteNotifier.Answer
  }

  let answers = Happenings<Pressed>()
  private let orders: Orders

  /// - Parameters:
  ///   - mock: its bus; nil if there is none.
  ///   - config: lines of `[daemon]`.
  init(on mock: NotificationMock?, config: String = "sound = false") throws {
    let orders = try Orders()
    self.orders = orders
    let (address, answers) = (mock?.address, self.answers)
    Thread.detachNewThread {
      do {
        try RemoteDesk.run(orders, config: config, address: address) {
          answers.append(Pressed(key: $0, answer: $1))
        }
      } catch {
        orders.said.append("failed: \(error)")
      }
      orders.said.end()
    }
    try orders.said.next("a loop that is ready") { $0 == "ready" }
  }

  deinit { orders.add { _, loop in loop.exit(0) } }

  private static func run(
    _ orders: Orders, config: String, address: String?,
    onAnswer: @escaping (_ key: Int, RemoteNotifier.Answer) -> Void
  ) throws {
    let file = try ConfigFile(path: "c", bytes: Array("[daemon]\n\(config)\n".utf8))
    var table = file.table(.daemon)
    var settings = DesktopSettings()
    try settings.read(&table)
    let read = settings
    let loop = try EventLoop()
    let notifier = try RemoteNotifier(
      loop: loop, wallTime: { _ in "21:40" }, settings: { read }, busAddress: address,
      onAnswer: onAnswer)
    let source = try loop.watchReadable(orders.wakeUp.raw) {
      for order in orders.take() { order(notifier, loop) }
    }
    orders.said.append("ready")
    _ = try loop.run()
    withExtendedLifetime((source, notifier)) {}
  }

  private final class Orders: @unchecked Sendable {
    typealias Order = @Sendable (RemoteNotifier, EventLoop) -> Void

    let said = Happenings<String>()
    let wakeUp: Descriptor
    private let lock = NSLock()
    private var waiting: [Order] = []

    init() throws {
      let raw = nj_eventfd()
      guard raw >= 0 else { throw Unmet(description: "there is no eventfd: \(raw)") }
      wakeUp = Descriptor(owning: raw)
    }

    func add(_ order: @escaping Order) {
      lock.withLock { waiting.append(order) }
      _ = nj_eventfd_signal(wakeUp.raw)
    }

    func take() -> [Order] {
      _ = nj_eventfd_drain(wakeUp.raw)
      return lock.withLock {
        defer { waiting = [] }
        return waiting
      }
    }
  }

  // MARK: Orders

  /// Begins these rings at once; their keys are their positions in the array, from `first` on.
  func ring(_ rings: RemoteRing..., from first: Int = 1) { ring(all: rings, from: first) }

  func ring(all rings: [RemoteRing], from first: Int = 1) {
    orders.add { notifier, _ in
      for (index, ring) in rings.enumerated() { notifier.ring(first + index, ring) }
    }
  }

  func end(_ key: Int) { orders.add { notifier, _ in notifier.end(key) } }

  func end() { orders.add { notifier, _ in notifier.end() } }

  /// Whether a sound is playing once all orders are done.
  func isPlaying() throws -> Bool {
    let said = orders.said
    orders.add { notifier, _ in said.append("playing: \(notifier.output.ringer.isPlaying)") }
    return try said.next("whether it plays") { $0.hasPrefix("playing: ") } == "playing: true"
  }
}

extension RemoteRing {
  /// A ring of a countdown that was due now.
  static func now(
    _ name: String, of device: String = "laptop", message: String = "",
    kind: TimerKind = .countdown, isSilent: Bool = false
  ) -> RemoteRing {
    RemoteRing(
      device: device, name: name, message: message, kind: kind, isSilent: isSilent,
      dueUsec: Now.realtimeUsec, reason: .silent)
  }
}
