import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Crossings of bands, and their events.
@Suite struct BandTests {
  private static let warn = "start tea 60s bands=warn:10s"

  static let rules = Rule.table(
    """
    The loop is armed for the next band, and then for the deadline
      start tea 60s bands=warn:30s+urgent:10s, armed, run 30s, armed, run 20s, armed
      -> armed for boottime 30; 30 band_crossed warn 30; armed for boottime 20
      -> 50 band_crossed urgent 10; armed for boottime 10
    Each band is crossed when it is due
      start tea 60s bands=calm:40s+warn:30s+urgent:10s, wait 60s
      -> 20 band_crossed calm 40; 30 band_crossed warn 30; 50 band_crossed urgent 10; 60 rang
    The band at the start is in force without an event
      start tea 60s bands=all:60s+warn:10s, show tea, start short 60s bands=long:90s, show short
      -> tea running, 60 left, in all; short running, 60 left, in long
    A timer paused on a threshold crosses it once and stays in the band
      \(warn), run 50s, pause tea, run 1h, show tea, resume tea, run 10s
      -> 50 band_crossed warn 10; 50 paused 10; tea paused, 10 left, in warn; 3650 resumed
      -> 3660 rang
    A timer paused a microsecond before a threshold crosses it a microsecond after it resumes
      \(warn), run 50s-1us, pause tea, run 1h, resume tea, show tea, run 1us
      -> 49.999999 paused 10.000001; 3649.999999 resumed; tea running, 10.000001 left
      -> 3650 band_crossed warn 10
    A timer extended back over a threshold leaves the band and crosses the threshold again
      start tea 60s bands=calm:40s+warn:10s, wait 55s, extend tea 20s, show tea, extend tea 60s,
      show tea, wait 85s
      -> 20 band_crossed calm 40; 50 band_crossed warn 10; 55 extended; 55 band_crossed calm 25
      -> tea running, 25 left, in calm; 55 extended; 55 band_crossed none 85; tea running, 85 left
      -> 100 band_crossed calm 40; 130 band_crossed warn 10; 140 rang
    A timer shortened to a threshold crosses it at once
      \(warn), extend tea -50s
      -> 0 extended; 0 band_crossed warn 10
    A paused timer shortened to a threshold crosses it at once
      \(warn), pause tea, extend tea -50s
      -> 0 paused 60; 0 extended; 0 band_crossed warn 10
    A restarted timer is outside its bands without an event and crosses them again
      \(warn), run 50s, restart tea, show tea, run 50s
      -> 50 band_crossed warn 10; 50 restarted; tea running, 60 left; 100 band_crossed warn 10
    After an update of the bands the present one is announced and later ones are armed
      \(warn), run 20s, change tea bands=calm:50s+urgent:5s, show tea, armed, wait 35s,
      change tea bands=, show tea
      -> 20 updated; 20 band_crossed calm 40; tea running, 40 left, in calm; armed for boottime 35
      -> 55 band_crossed urgent 5; 55 updated; tea running, 5 left
    An update of something else leaves the present band without an event
      start tea 60s bands=calm:40s+warn:10s, run 20s, run 30s, change tea late=skip, show tea,
      sleep 11s
      -> 20 band_crossed calm 40; 50 band_crossed warn 10; 50 updated
      -> tea running, 10 left, in warn; 61 did_not_ring late 1 sleep
    A countdown that gets or loses bands keeps its place among equal deadlines
      start first 10s, start second 10s, change first bands=warn:5s, change first bands=, run 10s
      -> 0 first updated; 0 first updated; 10 first rang; 10 second rang
    Only the last of the bands passed in a span is announced
      start tea 100s bands=calm:80s+warn:50s+urgent:10s, sleep 70s, show tea
      -> 70 band_crossed warn 30; tea running, 30 left, in warn
    A pause in a sleep announces the band that was crossed in it, and nothing does so again
      start tea 60s bands=warn:30s+urgent:10s, enter sleep, pass 55s, pause tea, show tea,
      pass 1h, resume tea, leave sleep, run 5s
      -> 55 paused 5; 55 band_crossed urgent 5; tea paused, 5 left, in urgent; 3655 resumed
      -> 3660 rang
    No band is announced for a timer that expired in a span
      start tea 100s bands=warn:50s, sleep 101s
      -> 101 rang late 1 sleep
    A wall clock set back over a threshold takes a wall timer out of the band
      start tea 100s wall bands=warn:50s, run 60s, step -20s, show tea, wait 60s
      -> 60 band_crossed warn 40; 40 band_crossed none 60; tea running, 60 left
      -> 50 band_crossed warn 50; 100 rang
    A wall clock set back leaves bands on other clocks alone
      start tea 100s bands=warn:50s, run 60s, step -20s
      -> 60 band_crossed warn 40
    A range may fall, and a band longer than the timer begins with it
      start tea 10s bands=all:90s:100-50, progress tea, run 5s, progress tea, run 5s,
      progress tea
      -> tea at 1.0; tea at 0.75; 10 rang; tea at 0.5
    A band is crossed at exactly its threshold on \(eachClock)
      \(warn) {}, run 50s-1us, show tea, run 1us, show tea, run 10s
      -> tea running, 10.000001 left; 50 band_crossed warn 10; tea running, 10 left, in warn
      -> 60 rang
    """)

  @Test(arguments: rules)
  func `A band is announced once when its time comes`(_ rule: Rule) { rule.check() }

  private let stage = Stage()

  @Test func `Progress runs through the range of the band, or else through the whole`() throws {
    func band(_ name: String, _ sec: Int64, _ progress: ProgressRange? = nil) -> Band {
      Band(name: name, remainingUsec: sec * second, progress: progress)
    }
    let bands = [
      band("ring", 60, ProgressRange(from: 0, to: 1_000_000)),
      band("full", 20, ProgressRange(from: 1_000_000, to: 1_000_000)), band("bare", 10),
    ]
    let slot = try stage.start(
      "tea", SharedSpec(kind: .countdown, bands: bands), usec: 100 * second)
    var seen: [Double] = []
    for _ in 0...10 {
      seen.append(stage.engine.view(slot, at: stage.now).progress)
      stage.advance(10 * second)
    }
    // Progress from 0 to 0.3 of the whole, the band's ranges, and the whole again.
    #expect(seen == [0, 0.1, 0.2, 0.3, 0, 0.25, 0.5, 0.75, 1, 0.9, 1])
  }
}
