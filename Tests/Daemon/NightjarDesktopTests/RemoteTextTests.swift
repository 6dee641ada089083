import NightjarModel
import NightjarSystem
import NightjarTestSupport
import Testing

@testable import NightjarDesktop

/// Texts of popups about rings of other machines' timers.
@Suite struct RemoteTextTests {
  private let begunUsec = 1_800_000_000 * second

  private func ring(
    _ reason: RemoteRing.Reason = .silent, of device: String = "laptop", name: String = "tea",
    message: String = "", lateUsec: Int64 = 0, continues: Bool = false
  ) -> RemoteRing {
    RemoteRing(
      device: device, name: name, message: message, kind: .countdown,
      dueUsec: begunUsec - lateUsec, reason: reason, continues: continues)
  }

  private func text(_ ring: RemoteRing, isOver: Bool = false) -> RemoteText {
    RemoteText(
      ring: ring.visible, begunUsec: begunUsec, isOver: isOver, snoozeUsec: 540 * second,
      wallTime: { _ in "21:40" })
  }

  private func notice(_ ring: RemoteRing, isOver: Bool = false) -> Notice {
    text(ring, isOver: isOver).notice(sound: .none)
  }

  @Test func `A popup names the other machine and the reason for the ring`() {
    func body(_ reason: RemoteRing.Reason) -> String { notice(ring(reason)).body }
    let hourAgoUsec = begunUsec - hour
    #expect(
      body(.asleep(sinceUsec: hourAgoUsec)) == "For laptop, which has been asleep since 21:40.")
    #expect(
      body(.offline(sinceUsec: hourAgoUsec)) == "For laptop, which has been offline since 21:40.")
    #expect(body(.asleep(sinceUsec: nil)) == "For laptop, which is asleep.")
    #expect(body(.offline(sinceUsec: nil)) == "For laptop, which is offline.")
    #expect(body(.noDaemon) == "For laptop, whose daemon does not answer.")
    #expect(body(.silent) == "For laptop, which did not say that it rang.")
    #expect(body(.elsewhere) == "laptop rings, and may not be noticed there.")
    // A time of day would not say which day it was.
    #expect(
      body(.offline(sinceUsec: begunUsec - 49 * hour))
        == "For laptop, which has been offline for 2 d.")
    // The clock of another machine can be ahead, by any amount.
    for usec in [begunUsec + hour, Int64.max, Int64.min] {
      #expect(body(.asleep(sinceUsec: usec)) == "For laptop, which is asleep.")
    }
  }

  @Test func `A ring that is late by more than a few seconds says so`() {
    let onTime = notice(ring(lateUsec: 9 * second))
    #expect(onTime.body == "For laptop, which did not say that it rang.")
    #expect(onTime.icon == "appointment-soon")
    let late = notice(ring(lateUsec: 720 * second))
    #expect(late.body == "For laptop, which did not say that it rang.\n12 min late.")
    #expect(late.icon == "appointment-missed")
  }

  @Test func `The next ring waits for the other machine, unless that is there`() {
    #expect(
      notice(ring(.asleep(sinceUsec: nil), continues: true)).body
        == "For laptop, which is asleep.\nIts next rings wait until laptop is back.")
    #expect(
      notice(ring(.elsewhere, continues: true)).body
        == "laptop rings, and may not be noticed there.")
  }

  @Test func `The message is the title, and the text says that a ring was not answered`() {
    let shown = notice(ring(message: "Pour it"), isOver: true)
    #expect(shown.summary == "Pour it")
    #expect(shown.body == "tea\nMissed: not answered.\nFor laptop, which did not say that it rang.")
    #expect(notice(ring()).summary == "tea")
    #expect(shown.actions.map(\.key) == ["default", "snooze", "dismiss"])
    #expect(shown.actions.map(\.label) == ["Dismiss", "Snooze 9 min", "Dismiss"])
    #expect(shown.urgency == .critical && shown.stays && shown.category == "x-nightjar.ring")
  }

  @Test func `Text of another machine is one short line that does not affect the text around it`() {
    let shown = notice(ring(name: "a\n\u{1B}[2J\u{202E}b", message: "c\u{2028}\u{7}d"))
    #expect(shown.summary == "c\\u{2028}\\u{07}d")
    #expect(shown.body.hasPrefix("a\\n\\u{1B}[2J\\u{202E}b\nFor laptop,"))
    // For Swift this is a single character.
    let tower = "e" + String(repeating: "\u{301}", count: 100_000)
    #expect(notice(ring(name: tower)).summary.unicodeScalars.count == Limits.messageBytes)
  }

  @Test func `Many in one popup are counted, and their machines are named`() {
    func digest(_ devices: String...) -> Notice {
      let rings = devices.enumerated().map { index, device in
        ring(of: device, name: "t\(index)", message: index == 0 ? "Pour it" : "", lateUsec: hour)
      }
      return RemoteText.digest(rings.map { text($0) }, sound: .none)
    }
    let one = digest("laptop")
    #expect(one.summary == "1 timer of laptop rings" && one.body == "t0: Pour it, 1 h late")
    let two = digest("laptop", "desktop", "laptop", "desktop", "laptop", "desktop", "desktop")
    #expect(two.summary == "7 timers of laptop and desktop ring")
    let lines = two.body.split(separator: "\n")
    #expect(lines.count == 6 && lines.last == "and 2 more")
    #expect(lines[0] == "t0 (laptop): Pour it, 1 h late" && lines[1] == "t1 (desktop), 1 h late")
    #expect(digest("a", "b", "c").summary == "3 timers of a, b and c ring")
    #expect(digest("a", "b", "c", "d", "a").summary == "5 timers of 4 machines ring")
  }
}
