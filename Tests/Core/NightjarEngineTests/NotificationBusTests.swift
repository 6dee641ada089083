import NightjarEngine
import NightjarModel
import Testing

@Suite struct NotificationBusTests {
  private final class Observer: NotificationObserver {
    let name: String
    let see: (String, Notification) -> Void

    init(_ name: String, see: @escaping (String, Notification) -> Void) {
      self.name = name
      self.see = see
    }

    func observe(_ notification: Notification, at moment: Moment) { see(name, notification) }
  }

  private let now = TestClocks().now

  @Test func `All observers are called in the order of their registration`() {
    let bus = NotificationBus()
    var seen: [String] = []
    for name in ["engine", "journal", "watchers"] {
      bus.register(Observer(name) { name, _ in seen.append(name) })
    }
    bus.post(.clockStepped(byUsec: 1), at: now)
    #expect(seen == ["engine", "journal", "watchers"])
  }

  @Test func `What is posted during a delivery is delivered after it, so all see the same order`() {
    let bus = NotificationBus()
    var seen: [String] = []
    func note(_ name: String, _ notification: Notification) {
      guard case .clockStepped(let usec) = notification else { return }
      seen.append("\(name)\(usec)")
    }
    bus.register(
      Observer("a") { name, notification in
        note(name, notification)
        if case .clockStepped(1) = notification {
          bus.post(.clockStepped(byUsec: 2), at: now)
          bus.post(.clockStepped(byUsec: 3), at: now)
        }
        if case .clockStepped(2) = notification { bus.post(.clockStepped(byUsec: 4), at: now) }
      })
    bus.register(Observer("b", see: note))
    bus.post(.clockStepped(byUsec: 1), at: now)
    #expect(seen == ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"])
    bus.post(.clockStepped(byUsec: 5), at: now)
    #expect(seen.suffix(2) == ["a5", "b5"])
  }
}

@Suite struct MomentTests {
  @Test func `A boot ID is parsed with and without dashes, and written without`() {
    let text = "01234567-89ab-cdef-fedc-ba9876543210"
    let id = BootID(text: text)
    #expect(id == BootID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
    #expect(id?.description == "0123456789abcdeffedcba9876543210")
    #expect(id.flatMap { BootID(text: $0.description) } == id)
    #expect(BootID(high: 0, low: 1).description == "00000000000000000000000000000001")
  }

  @Test(arguments: [
    "", "-", "0123456789abcdeffedcba987654321", "0123456789abcdeffedcba98765432100",
    "g123456789abcdeffedcba9876543210", "+123456789abcdeffedcba9876543210",
    "0123456789abcdef-edcba9876543210", "0123456789abcdef+edcba9876543210",
    "é123456789abcdeffedcba987654321",
  ])
  func `Text that is no boot ID is refused`(_ text: String) {
    #expect(BootID(text: text) == nil)
  }

  @Test func `A moment continues another if it is of the same boot and no clock is smaller`() {
    var clocks = TestClocks()
    let before = clocks.now
    #expect(before.continues(before))
    clocks.step(-hour)
    #expect(clocks.now.continues(before))
    clocks.run(1)
    #expect(clocks.now.continues(before))
    #expect(!before.continues(clocks.now))
    var other = clocks.now
    other.bootID.low += 1
    #expect(!other.continues(before))
    #expect(clocks.now.earlier(byUsec: 1).boottimeUsec == before.boottimeUsec)
  }
}
