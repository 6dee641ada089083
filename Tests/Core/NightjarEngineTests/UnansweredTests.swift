import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// How long rings sound, and what they do without an answer. The scripts of section 10 show more.
@Suite struct UnansweredTests {
  static let rules = Rule.table(
    """
    An alarm, {in=1h|every=1h}, sounds ten minutes
      sounds, alarm tea {}, wait 1h, ring tea, wait 30min, ring tea
      -> 3600 rang; tea ring 1 sounding, 0 ago, 600 left; 4200 unanswered 1 1
      -> tea ring 1 quiet, 1800 ago
    Another timer, {start tea 1h|sequence tea rounds=1 steps=work:1h}, sounds a minute
      sounds, {}, wait 1h, ring tea, wait 30min, ring tea
      -> 3600 rang; tea ring 1 sounding, 0 ago, 60 left; 3660 unanswered 1 1
      -> tea ring 1 quiet, 1800 ago
    A timer that continues sounds once
      sounds, start tea 1h repeat, wait 1h, ring tea, wait 30min, ring tea
      -> 3600 rang; tea ring 1 quiet, 0 ago; tea ring 1 quiet, 1800 ago
    A timer's own ring counts before what is usual
      sounds, usual 1min, start tea 1h repeat ringFor=5s insist=0s, wait 1h, wait 30min
      -> 3600 rang; 3605 unanswered 1 1
    # It is still the same expiry, and was heard ten seconds ago.
    A ring that sounds once and insists waits ten seconds for an answer
      sounds, usual 1min, alarm tea in=1h ringFor=0s, wait 1h, wait 80s, ring tea
      -> 3600 rang; 3610 unanswered 1 1; 3670 rang_again; 3680 unanswered 1 2
      -> tea ring 1 quiet, 10 ago, insisted 1, 60 left
    The next expiry, and the end of a snooze, begin with their first sound
      start tea 1h repeat ringFor=1min insist=20min, wait 1h, wait 50min, ring tea, wait 10min,
      ring tea, wait 30min, ring tea, snooze tea 1min, wait 1min, ring tea
      -> 3600 rang; 4860 rang_again; 6120 rang_again
      -> tea ring 1 quiet, 480 ago, insisted 2, 780 left
      -> 7200 rang; tea ring 2 sounding, 0 ago, 60 left; 8460 rang_again
      -> tea ring 2 quiet, 540 ago, insisted 1, 720 left; 9000 snoozed; 9060 rang after snooze
      -> tea ring 2 sounding, 0 ago, 60 left
    No sound ends in the background
      sounds, start tea 1h, wait 1h, enter sleep, doze 1h, ring tea, leave sleep
      -> 3600 rang; tea ring 1 sounding, 3600 ago, -3540 left; 7200 unanswered 1 1
    """)

  @Test(arguments: rules)
  func `A ring sounds for its time, and insists`(_ rule: Rule) { rule.check() }

  private let stage = Stage()

  @Test func `What a sound lacked is known until the next sound, and only for that one`() throws {
    var spec = TimerSpec.plain
    (spec.kind, spec.atUsec) = (.alarm, stage.now.realtimeUsec + hour)
    spec.attachments.ring = EncodedRing(
      publicJSON: Array("{}".utf8), forUsec: minute, insistUsec: hour)
    let slot = try stage.engine.start("tea", spec, at: stage.now).slot
    stage.advance(hour)
    let lack = Unnoticed(unseen: .missing, unheard: .paused, reason: "why")
    func note(_ seq: Int64) {
      stage.runIteration { $0.recordUnnoticed(slot, lack, seq: seq, at: stage.now) }
    }
    let seq = try #require(stage.ring(slot)?.sinceEvent)
    note(seq - 1)
    #expect(stage.ring(slot)?.unnoticed == nil)
    note(seq)
    note(seq)
    #expect(stage.ring(slot)?.unnoticed == lack)
    #expect(stage.events.count { "\($0.typeName)" == "unnoticed" } == 1)
    // The sound goes on, and its end does not change it.
    stage.advance(10 * minute)
    #expect(stage.ring(slot)?.unnoticed == lack)
    stage.advance(hour)
    #expect(stage.ring(slot)?.insisted == 1 && stage.ring(slot)?.unnoticed == nil)
    try stage.runIteration { try $0.dismiss(slot, at: stage.now) }
    note(seq)
    #expect(stage.events.count { "\($0.typeName)" == "unnoticed" } == 1)
    #expect(stage.engine.violatedInvariant() == nil)
  }

  @Test func `A snoozed ring remembers the newest of the expiries that joined it`() throws {
    var spec = TimerSpec.plain
    (spec.kind, spec.repeats, spec.durationUsec) = (.countdown, true, second)
    var slot = 0
    try stage.runIteration { slot = try $0.start("tea", spec, at: stage.now).slot }
    stage.run(second)
    try stage.runIteration { try $0.snooze(slot, byUsec: hour, at: stage.now) }
    for _ in 0..<Limits.joined + 10 { stage.run(second) }
    let ring = try #require(stage.ring(slot))
    #expect(ring.isSnoozed && ring.expiries == Limits.joined + 11)
    #expect(ring.joined.map(\.number) == (12..<Int64(Limits.joined) + 12).map { $0 })
  }
}
