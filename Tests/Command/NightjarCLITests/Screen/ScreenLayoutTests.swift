import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The layout of the screen, at all sizes.
@Suite struct ScreenLayoutTests {
  private static let now = ClockReading(
    realtimeUsec: 1_767_442_830_000_000, boottimeUsec: 0, monotonicUsec: 0)
  private static let minute: Int64 = 60_000_000

  private static func live(
    _ name: String, state: String = "running", kind: String = "countdown", left: Int64 = minute,
    ringing: String? = nil, more: JSONValue = [:]
  ) throws -> LiveTimer {
    var entry = FakeTimers.Entry(name: name, state: state)
    (entry.kind, entry.remainingUsec, entry.durationUsec) = (kind, left, 4 * minute)
    (entry.rangAgoUsec, entry.ringing, entry.more) = (2_000_000, ringing, more)
    let json = FakeTimers(nowUsec: now.realtimeUsec).json(entry)
    return LiveTimer(try Wire.Timer(json), asOf: now)
  }

  private static let miss: JSONValue = [
    "miss": ["number": 1, "due_usec": 1, "late_usec": 0, "outcome": "did_not_ring"]
  ]

  private static func state(_ timers: [LiveTimer], selecting index: Int = 0) -> ScreenState {
    var state = ScreenState()
    state.isSynced = true
    state.show(timers)
    // A ringing timer is first, whatever its position was.
    state.select(state.timers.firstIndex { $0.timer.name == timers[index].timer.name } ?? index)
    if let timer = state.selectedTimer {
      var story = ScreenState.Story(name: timer.name, id: timer.id)
      story.facts = [
        "Kind:    countdown", "Runs:    paplay /usr/share/sounds/a/very/long/path.oga",
      ]
      story.lines = (0..<40).map { "12:00:\($0 + 10)  something happened to it, number \($0)" }
      state.story = story
    }
    return state
  }

  private static func many(_ count: Int) throws -> [LiveTimer] {
    try (0..<count).map { try live("timer\($0)", left: minute * Int64($0 + 2)) }
  }

  /// States that lead to different screens.
  private static func states() throws -> [ScreenState] {
    let band: JSONValue = [
      "bands": [
        ["name": "last", "remaining_usec": 240_000_000, "color": "orange", "text": "Hurry up now"]
      ]
    ]
    let evening = try [
      live("egg", state: "over", left: 0), live("tea", more: band),
      live("茶 and a name that is longer than any column", left: 47 * minute),
      live("ends in wide 茶茶茶茶茶茶茶茶茶茶茶", left: 700 * minute),
      live("rtl \u{202E}abc", state: "paused"),
      live("run", kind: "stopwatch", left: 0), live("old", state: "cancelled"),
    ]
    var states = [
      state([]), state([evening[1]]), state(evening), state(try many(40), selecting: 11),
    ]
    for index in evening.indices { states.append(state(evening, selecting: index)) }
    var details = state(evening, selecting: 1)
    details.detailsFrom = 10_000
    var help = state(evening)
    (help.isHelpShown, help.helpFrom) = (true, 10_000)
    var news = state(evening)
    for number in 0..<9 {
      news.addNews("12:00:0\(number)  something long happened to a timer of a long name")
    }
    var prompt = state(evening)
    prompt.prompt = .init(purpose: .extend("茶 and a name that is long"), line: LineEditor())
    prompt.prompt?.line.text = "a line that is longer than the screen is wide, by very much indeed"
    prompt.prompt?.error =
      "there is something wrong with it, and that takes a good many words to tell"
    var filtered = state(evening)
    filtered.filter = "E"
    var clocks = states
    for index in clocks.indices { clocks[index].isClockShown = true }
    var today = news
    today.today = try LedgerScript.fullDay().picture(.day, "2026-11-24")
    return states + clocks + [details, help, news, today, prompt, filtered]
  }

  @Test(
    arguments: [
      (200, 50), (120, 20), (110, 18), (109, 60), (100, 30), (80, 24), (80, 18), (80, 17), (60, 24),
      (40, 24), (40, 18), (40, 6), (36, 18), (20, 10), (9, 3), (9, 2), (3, 1),
    ], [true, false])
  func `There are as many lines as the screen has, and none is wider, at any size`(
    size: (width: Int, height: Int), isUnicode: Bool
  ) throws {
    let layout = ScreenLayout(width: size.width, height: size.height, isUnicode: isUnicode)
    for state in try Self.states() {
      let lines = layout.lines(state, at: Self.now)
      #expect(lines.count == size.height)
      for line in lines { #expect(line.width <= size.width, "\(line.text)") }
      // A box is drawn to its end.
      guard layout.isFramed else { continue }
      for line in lines.dropFirst() where "╭│╰+|".contains(line.text.first ?? " ") {
        #expect(
          line.width == size.width && "╮│╯┃+|#".contains(line.text.last ?? " "), "\(line.text)")
      }
    }
  }

  @Test func `At 40 columns nothing is cut without an ellipsis`() throws {
    let long = "a name that is longer than any column"
    let timers = try [
      Self.live(long, more: ["late": "skip"]), Self.live("paused", state: "paused"),
      Self.live("egg", state: "over", left: 0),
    ]
    let layout = ScreenLayout(width: 40, height: 24, isUnicode: true)
    let lines = layout.lines(Self.state(timers), at: Self.now).map(\.text)
    let row = try #require(lines.first { $0.contains("› a name") })
    #expect(row.hasPrefix("│ › a name tha…  00:01:00.0  12:21:30  │"), "\(row)")
    #expect(lines[1] == "╭─ a name that is longer t… ─ running ─╮")
    let rung = try #require(lines.first { $0.contains("  egg") })
    #expect(rung.hasSuffix("00:00:02    12:20:28  │"), "\(rung)")
    // Keys are left out as a whole.
    #expect(lines[23] == " space pause  + - 1 min  ? help  q quit ")
  }

  @Test(arguments: [
    (40, 17 * 60 + 39, "Sun 06:00"), (40, 8 * 60, "20:21:00"),
    (120, 17 * 60 + 39, "Sun 4 Jan 06:00:00"),
    (40, 9 * 24 * 60, "    12 Jan    │"),
  ])
  func
    `A ring of this week keeps its time, and a later one its date, also where there is little room`(
      width: Int, minutes: Int, words: String
    ) throws
  {
    let timers = try [
      Self.live("a name that is longer than any column"),
      Self.live("later", left: Self.minute * Int64(minutes) + 30_000_000),
      // Its clock is wider than others.
      Self.live("weeks", left: (28 * 24 + 12) * 60 * Self.minute),
    ]
    let lines = ScreenLayout(width: width, height: 24, isUnicode: true)
      .lines(Self.state(timers), at: Self.now).map(\.text)
    let row = try #require(lines.first { $0.contains("  later") })
    #expect(row.contains(words), "\(row)")
  }

  @Test(arguments: [40, 80, 100, 200])
  func `A failed command is shown in the row, and no complete text ends in an ellipsis`(
    width: Int
  ) throws {
    let failure: JSONValue = [
      "command": "make", "event_seq": 1, "time_usec": 0, "outcome": "exited", "exit_status": 2,
    ]
    let timers = try [
      Self.live(
        "egg", state: "over", left: 0, more: ["failure": failure, "message": "Turn the oven off"]),
      Self.live("tea"),
    ]
    let lines = ScreenLayout(width: width, height: 24, isUnicode: true)
      .lines(Self.state(timers, selecting: 1), at: Self.now).map(\.text)
    let row = try #require(lines.first { $0.contains("  egg") })
    #expect(row.contains("failed"), "\(row)")
    let focused = ScreenLayout(width: width, height: 24, isUnicode: true)
      .lines(Self.state(timers), at: Self.now).map(\.text)
    #expect(focused.contains { $0.contains("rang 12:20, unanswered") })
    #expect(!focused.contains { $0.contains("unanswered…") || $0.contains("off…") }, "\(focused)")
  }

  @Test
  func `A timer that expired without a ring is not red, and a stopped stopwatch shows its time`()
    throws
  {
    let timers = try [
      Self.live("sk", state: "over", left: 0, more: Self.miss), Self.live("tea"),
      Self.live("run", state: "cancelled", kind: "stopwatch", left: 2 * Self.minute),
    ]
    let layout = ScreenLayout(width: 80, height: 24, isUnicode: true)
    let lines = layout.lines(Self.state(timers, selecting: 1), at: Self.now)
    #expect(lines[0].text.hasSuffix("1 running, 1 missed"), "\(lines[0].text)")
    let row = try #require(lines.first { $0.text.contains("  sk ") })
    #expect(
      row.pieces.allSatisfy { $0.style.ink != .red && !($0.text == "sk " && $0.style.isBold) },
      "\(row)")
    let run = try #require(lines.first { $0.text.contains("  run ") }?.text)
    #expect(run.contains("02:00"), "\(run)")
  }

  @Test(
    arguments: [
      ("exited", 3, nil, true), ("exited", 0, nil, false), ("timed_out", nil, nil, true),
      ("unseen", nil, nil, false), ("not_started", nil, "its timer was cancelled", false),
      ("not_started", nil, "no such file", true),
    ] as [(String, Int64?, String?, Bool)])
  func `The failure of a command is among the news`(
    outcome: String, status: Int64?, reason: String?, isNews: Bool
  ) throws {
    var json: JSONValue = [
      "seq": 1, "time_usec": 5, "type": "action_ended", "name": "tea", "id": 1, "event_seq": 3,
      "command": "make", "outcome": .string(outcome),
    ]
    if let status { json = json.setting("exit_status", .integer(status)) }
    if let reason { json = json.setting("reason", .string(reason)) }
    #expect(LiveScreen.isNews(try Wire.Event(json)) == isNews)
  }

  @Test(
    arguments: [(40, 24), (40, 14), (40, 30), (36, 18), (80, 24), (80, 30), (120, 24), (120, 40)],
    [1, 2, 28])
  func `The whole message of the selected timer is shown, beside digits of any size`(
    size: (width: Int, height: Int), count: Int
  ) throws {
    let message = "Take the bread out of the oven before it burns, and let it cool near a window"
    for isRunning in [false, true] {
      let first = try Self.live(
        "bread", state: isRunning ? "running" : "over", left: isRunning ? 3 * Self.minute : 0,
        more: ["message": .string(message)])
      var state = Self.state(try [first] + Self.many(28).prefix(count - 1))
      for hasStory in [true, false] {
        if !hasStory { state.story = nil }
        let lines = ScreenLayout(width: size.width, height: size.height, isUnicode: true)
          .lines(state, at: Self.now).map(\.text)
        let screen = lines.joined(separator: "\n")
        let missing = message.split(separator: " ").filter { !screen.contains($0) }
        #expect(missing == [], "\n\(screen)")
      }
    }
  }

  @Test func `A message that is longer than the screen ends in an ellipsis, and rows remain`()
    throws
  {
    let message = String(repeating: "word ", count: 200)
    for (width, height) in [(40, 24), (40, 14), (80, 24), (40, 8)] {
      let first = try Self.live(
        "bread", state: "over", left: 0, more: ["message": .string(message)])
      let state = Self.state([first] + (try Self.many(3)))
      let layout = ScreenLayout(width: width, height: height, isUnicode: true)
      let lines = layout.lines(state, at: Self.now).map(\.text)
      #expect(lines.contains { $0.contains("word…") || $0.contains("word …") }, "\(lines)")
      #expect(lines.contains { $0.contains("› bread") }, "\(lines)")
      for line in lines.indices {
        guard let index = layout.timerIndex(line: line, column: 5, state), index > 0 else {
          continue
        }
        #expect(lines[line].contains("timer\(index - 1) "), "\(lines[line])")
      }
    }
  }

  @Test func `A line that is cut ends in an ellipsis, also at the end of a piece`() {
    var line = StyledLine("abc", .bold)
    line.add("def")
    #expect(line.cut(to: 6).text == "abcdef" && line.cut(to: 5).text == "abcd…")
    #expect(line.cut(to: 4).text == "abc…" && line.cut(to: 3).text == "ab…")
    #expect(line.cut(to: 1).text == "…" && line.cut(to: 0).text == "")
    #expect(
      StyledLine("茶茶茶").cut(to: 5).text == "茶茶…" && StyledLine("茶茶茶").cut(to: 4).text == "茶… ")
  }

  @Test func `A single timer has the whole screen: its clock in the largest digits, and its story`()
    throws
  {
    let layout = ScreenLayout(width: 100, height: 30, isUnicode: true)
    let state = Self.state([try Self.live("tea", left: 3 * Self.minute)])
    let areas = layout.areas(state)
    #expect(areas.list == nil && areas.focus?.height == 23 && areas.day?.height == 5)
    let lines = layout.lines(state, at: Self.now).map(\.text)
    let digits = BigDigits.lines("03:00", scale: 4, isUnicode: true)
    #expect(digits.allSatisfy { digit in lines.contains { $0.contains(digit) } })
    #expect(lines.contains { $0.contains("something happened to it, number 39") })
    #expect(lines[1].hasSuffix(" running ─╮"))
  }

  @Test func `A day and more is shown in days, in the list and in large digits`() throws {
    let hour = 60 * Self.minute
    let layout = ScreenLayout(width: 100, height: 30, isUnicode: true)
    let rent = try Self.live("rent", left: (31 * 24 + 2) * hour)
    let digits = BigDigits.lines("31 d 2 h", scale: 3, isUnicode: true)
    let single = layout.lines(Self.state([rent]), at: Self.now).map(\.text)
    #expect(digits.allSatisfy { digit in single.contains { $0.contains(digit) } })
    let up = try Self.live(
      "up", kind: "stopwatch", left: 0, more: ["elapsed_usec": .integer((24_000 + 13) * hour)])
    let lines = layout.lines(Self.state([rent, up]), at: Self.now).map(\.text)
    #expect(lines.contains { $0.contains("rent") && $0.contains("  31 d 2 h  ") })
    // There is no room for the hours.
    #expect(lines.contains { $0.contains("up") && $0.contains("     1000 d  ") })
  }

  @Test func `Clocks are aligned to the second, also those of days and weeks`() throws {
    let hour = 60 * Self.minute
    let timers = try [
      Self.live("first"), Self.live("hour", left: hour), Self.live("day", left: 32 * hour),
      Self.live("weeks", left: (28 * 24 + 12) * hour),
      Self.live("year", left: (370 * 24 + 12) * hour),
      Self.live("years", left: (3_700 * 24 + 12) * hour),
    ]
    for width in [40, 80, 120] {
      let lines = ScreenLayout(width: width, height: 30, isUnicode: true)
        .lines(Self.state(timers), at: Self.now).map(\.text)
      let clocks = [
        "hour": "01:00:00", "day": "1 d 8 h", "weeks": "28 d 12 h", "year": "370 d 12 h",
      ]
      let ends = try clocks.map { name, clock in
        let row = try #require(
          lines.first { $0.contains("  \(name) ") && $0.contains(clock) }, "\(lines)")
        let end = try #require(row.firstRange(of: clock)?.upperBound)
        return row.distance(from: row.startIndex, to: end)
      }
      #expect(Set(ends).count == 1, "\(lines.joined(separator: "\n"))")
    }
  }

  @Test func `If there is room, long names and messages are complete, and the bar is shorter`()
    throws
  {
    let timers = try [
      Self.live("tea"),
      Self.live("bread", left: 9 * Self.minute, more: ["message": "Take the bread out"]),
      Self.live("a-rather-long-name-of-a-timer", left: 20 * Self.minute),
    ]
    let lines = ScreenLayout(width: 200, height: 50, isUnicode: true)
      .lines(Self.state(timers), at: Self.now).map(\.text)
    #expect(lines.contains { $0.contains("  a-rather-long-name-of-a-timer  ") })
    let row = try #require(lines.first { $0.contains("  bread ") })
    #expect(row.contains("  12:29:30, Take the bread out"), "\(row)")
    #expect(row.contains("━") || row.contains("─"))
    // A message that does not fit in any case takes no columns from the bars.
    let long = try Self.live("x", more: ["message": .string(String(repeating: "long ", count: 20))])
    func bars(_ timers: [LiveTimer]) -> Int {
      ScreenLayout.Widths(timers, width: 76, at: Self.now).bar
    }
    #expect(try bars([Self.live("x")]) == bars([long]))
  }

  @Test func `A list that is longer than its box shows the position of the selected timer`() throws
  {
    let timers = try Self.many(40)
    let layout = ScreenLayout(width: 80, height: 24, isUnicode: true)
    let lines = layout.lines(Self.state(timers, selecting: 11), at: Self.now)
    #expect(lines.contains { $0.text.hasSuffix(" 12/40 ─╮") })
    #expect(lines.contains { $0.text.contains("› timer11") && $0.text.hasSuffix("│") })
    let thumb = lines.filter { $0.text.hasSuffix("┃") }
    #expect(thumb.count == 1)
    let small = ScreenLayout(width: 40, height: 8, isUnicode: true)
    #expect(
      small.lines(Self.state(timers, selecting: 11), at: Self.now)[0].text.hasPrefix(
        " nightjar  12/40"))
    // A list that fits on the screen shows no position.
    let few = layout.lines(Self.state(try Self.many(3)), at: Self.now)
    #expect(!few.contains { $0.text.contains("/3") || $0.text.hasSuffix("┃") })
  }

  @Test func `A search shows only matching timers, and counts the others`() throws {
    var state = Self.state(try Self.many(40))
    state.filter = "R3"
    let lines = ScreenLayout(width: 80, height: 24, isUnicode: true).lines(state, at: Self.now)
    #expect(state.timers.map(\.timer.name) == ["timer3"] + (30..<40).map { "timer\($0)" })
    #expect(
      lines.contains { $0.text.hasPrefix("╭─ timers /R3 ─") && $0.text.hasSuffix(" 1/11 of 40 ─╮") }
    )
    state.filter = "nothing"
    let none = ScreenLayout(width: 80, height: 24, isUnicode: true).lines(state, at: Self.now)
    #expect(none.contains { $0.text.contains("no timer has that in its name") })
    #expect(state.selected == nil)
    state.filter = ""
    #expect(state.timers.count == 40 && state.selected == "timer0")
  }

  @Test(arguments: [40, 80, 120])
  func `Details can be scrolled to their end, however narrow the screen is`(width: Int) throws {
    for height in [24, 12] {
      var state = Self.state(try Self.many(3))
      let layout = ScreenLayout(width: width, height: height, isUnicode: true)
      var seen = ""
      state.detailsFrom = 0
      let last = layout.lastDetailsLine(state)
      #expect(last > 0)
      for from in 0...last {
        state.detailsFrom = from
        seen += layout.lines(state, at: Self.now).map { "\($0.text)\n" }.joined()
      }
      #expect(seen.contains("Kind:    countdown") && seen.contains("number 39"))
      state.detailsFrom = last + 1
      let beyond = layout.lines(state, at: Self.now)
      state.detailsFrom = last
      #expect(beyond == layout.lines(state, at: Self.now))
    }
  }

  @Test func `An error is shown above the input, and the input stays`() throws {
    var state = Self.state(try Self.many(3))
    state.prompt = .init(purpose: .start, line: LineEditor())
    state.prompt?.line.text = "tea 4mni"
    state.prompt?.error = "unknown unit 'mni'"
    let lines = ScreenLayout(width: 80, height: 24, isUnicode: true).lines(state, at: Self.now)
    #expect(lines[22].text == " unknown unit 'mni'" && lines[23].text == " start: tea 4mni ")
  }

  @Test func `A click finds the line of its timer, wherever the list is`() throws {
    let timers = try Self.many(40)
    for (width, height) in [(40, 24), (80, 24), (200, 50), (80, 10)] {
      let layout = ScreenLayout(width: width, height: height, isUnicode: true)
      let state = Self.state(timers, selecting: 30)
      let lines = layout.lines(state, at: Self.now)
      var found: [Int] = []
      for line in lines.indices {
        guard let index = layout.timerIndex(line: line, column: 5, state) else { continue }
        #expect(lines[line].text.contains("timer\(index) "), "\(lines[line].text)")
        found.append(index)
      }
      #expect(found.contains(30) && found == layout.visible(state))
    }
  }

  @Test(arguments: [40, 80, 200])
  func `Each key in the footer is pressed where it is written`(width: Int) throws {
    let layout = ScreenLayout(width: width, height: 24, isUnicode: true)
    for state in try Self.states() where state.prompt == nil {
      let footer = try #require(layout.lines(state, at: Self.now).last).text
      for (label, key) in [
        (" space ", Key.character(" ")), (" d ", .character("d")), (" esc ", .escape),
        (" + - ", .character("+")), (" q ", .character("q")),
      ] {
        guard let range = footer.firstRange(of: label) else { continue }
        let column = footer.distance(from: footer.startIndex, to: range.lowerBound) + 1
        #expect(layout.footerKey(line: 23, column: column, state) == key, "\(footer)")
        #expect(layout.footerKey(line: 22, column: column, state) == nil)
      }
      #expect(layout.footerKey(line: 23, column: width - 1, state) == nil || footer.count == width)
    }
  }

  @Test func `The timers of a group are together, and its name is written once`() throws {
    let minutes: [(String, Int64)] = [("a", 2), ("job/x", 3), ("b", 4), ("job/y", 5), ("run/z", 6)]
    var state = Self.state(try minutes.map { try Self.live($0, left: $1 * Self.minute) })
    #expect(state.timers.map(\.timer.name) == ["a", "job/x", "job/y", "b", "run/z"])
    let layout = ScreenLayout(width: 80, height: 24, isUnicode: true)
    let lines = layout.lines(state, at: Self.now).map(\.text)
    for row in ["› a   ", "  job/x  ", "      y  ", "  b   ", "  run/z  "] {
      #expect(lines.contains { $0.hasPrefix("│ \(row)") }, "\(row)")
    }
    // A timer that was just started is selected when the daemon reports it.
    state.awaited = "tea"
    state.show(state.timers)
    #expect(state.selected == "a")
    state.show(state.timers + [try Self.live("tea")])
    #expect(state.selected == "tea")
    state.select(0)
    state.show(state.timers)
    #expect(state.selected == "a")
  }

  @Test(arguments: [(200, 60, true), (120, 40, true), (120, 39, false), (109, 60, false)])
  func `A large screen shows what timers did today`(width: Int, height: Int, isShown: Bool) throws {
    var state = Self.state(try Self.many(3))
    state.today = try LedgerScript.fullDay().picture(.day, "2026-11-24")
    let layout = ScreenLayout(width: width, height: height, isUnicode: true)
    let lines = layout.lines(state, at: Self.now).map(\.text)
    let title = lines.firstIndex { $0.hasPrefix("╭─ today ─") }
    #expect((title != nil) == isShown && layout.hasToday == isShown)
    guard let title else { return }
    #expect(lines[title + 2].hasPrefix("│ tea  ░") && lines[title + 2].hasSuffix(" 6 h │"))
    #expect(lines[title + 4].contains("▓ ran while asleep"))
    // A day without runs takes no room.
    state.today = try LedgerScript().picture(.day, "2026-11-24")
    #expect(!layout.lines(state, at: Self.now).contains { $0.text.hasPrefix("╭─ today") })
  }

  @Test func `The selected row has one style, and a ring's border is bold every other second`()
    throws
  {
    let timers = try [Self.live("egg", state: "over", left: 0), Self.live("tea")]
    let layout = ScreenLayout(width: 80, height: 24, isUnicode: true)
    for (index, ink) in [(0, Ink.red), (1, nil)] as [(Int, Ink?)] {
      let lines = layout.lines(Self.state(timers, selecting: index), at: Self.now)
      let row = try #require(lines.first { $0.text.contains("›") })
      #expect(
        row.pieces.contains { $0.style == .init(ink: ink, isInverse: true) && $0.columns == 76 })
    }
    var later = Self.now
    let bold = (0..<4).map { _ in
      defer { later.boottimeUsec += 1_000_000 }
      let state = Self.state(timers)
      return layout.lines(state, at: later)[1].pieces.first?.style.isBold
    }
    #expect(bold == [true, false, true, false])
  }

  @Test func `A screen on which nothing changes by itself waits forever`() throws {
    let paused = try [Self.live("tea", state: "paused"), Self.live("old", state: "cancelled")]
    for (width, height) in [(40, 24), (80, 16), (80, 24), (200, 50)] {
      let layout = ScreenLayout(width: width, height: height, isUnicode: true)
      #expect(layout.nextChangeUsec(Self.state(paused), after: Self.now) == nil)
      // Seconds for a running timer; tenths for a selected one in its last minute.
      let running = try [Self.live("tea", left: 90_500_000)]
      #expect(layout.nextChangeUsec(Self.state(running), after: Self.now) == 500_000)
      var clock = Self.state(running)
      clock.isClockShown = true
      #expect(layout.nextChangeUsec(clock, after: Self.now) == 500_000)
      // Without timers the clock is the time of day, without seconds.
      clock.show([])
      #expect(layout.nextChangeUsec(clock, after: Self.now) == Self.minute / 2)
      var help = Self.state(running)
      help.isHelpShown = true
      #expect(layout.nextChangeUsec(help, after: Self.now) == nil)
    }
  }

  @Test func `A notice disappears after five seconds, and an error stays until the next key`()
    throws
  {
    let layout = ScreenLayout(width: 80, height: 24, isUnicode: true)
    var state = Self.state([try Self.live("tea", state: "paused")])
    func lastLine() -> String? { layout.lines(state, at: Self.now).last?.text }
    state.message = .notice("tea: paused", at: Self.now)
    state.passTime(to: Self.now)
    #expect(lastLine() == " tea: paused")
    #expect(layout.nextChangeUsec(state, after: Self.now) == 5_000_000)
    var later = Self.now
    later.boottimeUsec += 4_999_999
    state.passTime(to: later)
    #expect(lastLine() == " tea: paused")
    #expect(layout.nextChangeUsec(state, after: later) == 1)
    later.boottimeUsec += 1
    state.passTime(to: later)
    #expect(state.message == nil && lastLine()?.contains("space resume") == true)
    #expect(layout.nextChangeUsec(state, after: later) == nil)
    state.message = .wrong("cannot lap 'tea'")
    later.boottimeUsec += 60 * Self.minute
    state.passTime(to: later)
    #expect(lastLine() == " cannot lap 'tea'")
    #expect(layout.nextChangeUsec(state, after: later) == nil)
  }

  @Test(arguments: [(40, 24), (80, 24), (120, 20), (200, 50), (40, 10), (80, 8)])
  func
    `A ringing timer has a row at any scroll position, also if it repeats and rings next last of all`(
      size: (width: Int, height: Int)
    ) throws
  {
    let daily: JSONValue = ["calendar": "*-*-* 12:20:28", "repeat": ["rung": 3]]
    let names = ["standup", "stretch"]
    let day = 24 * 60 * Self.minute
    let all =
      try Self.many(12)
      + names.map { name in
        try Self.live(name, kind: "alarm", left: day, ringing: "ringing", more: daily)
      } + [
        // The sound of this timer's ring has ended.
        Self.live("early", kind: "alarm", left: 2 * day, ringing: "unanswered", more: daily)
      ]
    let timers = all.sorted { TimerOrder.isBefore($0.timer, $1.timer) }
    let layout = ScreenLayout(width: size.width, height: size.height, isUnicode: true)
    for index in timers.indices {
      let state = Self.state(timers, selecting: index)
      let lines = layout.lines(state, at: Self.now)
      let rows = lines.indices.compactMap { line in
        layout.timerIndex(line: line, column: 5, state).map {
          (name: state.timers[$0].timer.name, line: lines[line])
        }
      }
      let selected = try #require(state.selected)
      let screen = lines.map(\.text).joined(separator: "\n")
      #expect(rows.contains { $0.name == selected && $0.line.text.contains("›") }, "\n\(screen)")
      for name in names {
        let row = try #require(rows.first { $0.name == name }?.line, "\n\(screen)")
        #expect(row.text.contains(name) && row.text.contains("00:00:02"), "\n\(screen)")
        #expect(row.pieces.contains { $0.text.contains("00:00:02") && $0.style.ink == .red })
      }
      #expect(lines[0].text.contains("2 ringing, 1 unanswere"))
      guard names.contains(selected), size.width >= 80 else { continue }
      let footer = try #require(lines.last).text
      #expect(footer.hasPrefix(" d dismiss  s snooze "), "\n\(screen)")
    }
  }

  @Test func `The clock of a timer that rings is at its end, and does not show its next ring`()
    throws
  {
    let day = 24 * 60 * Self.minute
    let ringing = try Self.live("up", left: day, ringing: "ringing")
    #expect(ringing.clock(at: Self.now, in: .seconds) == "00:00")
    let quiet = try Self.live("up", left: day, ringing: "unanswered")
    #expect(quiet.clock(at: Self.now, in: .seconds) == "1 d")
    let snoozed = try Self.live("up", left: day, ringing: "snoozed")
    #expect(snoozed.clock(at: Self.now, in: .seconds) == "04:00")
  }

  @Test func `Colours are the terminal's; those that a band gives by number are exact`() {
    #expect(Palette.full.codes(.init(ink: Ink("Red"))) == "38;5;196")
    #expect(Palette.indexed.codes(.init(ink: Ink("yellow"), isBold: true)) == "1;38;5;130")
    #expect(Palette.full.codes(.init(ink: Ink("#ff8800"))) == "38;2;255;136;0")
    #expect(Palette.none.codes(.init(ink: .red, isBold: true)) == "1")
    #expect(Ink("nothing") == nil)
  }

  @Test func `Each colour can be read on white and on black`() throws {
    let inks: [Ink] = [.red, .green, .yellow, .blue, .magenta, .cyan]
    let styles: [Terminal.Style] = [.yellow, .green, .blue, .amber, .magenta, .cyan, .red]
    let codes = inks.map { Palette.indexed.codes(.init(ink: $0)) } + styles.map(\.rawValue)
    #expect(Set(inks.map { Palette.full.codes(.init(ink: $0)) }).count == inks.count)
    for code in codes {
      // A colour of xterm's cube is the same on every terminal; one of the first 16 is not.
      let parts = code.split(separator: ";").suffix(3).compactMap { Int($0) }
      try #require(parts.count == 3 && parts.starts(with: [38, 5]) && parts[2] >= 16, "\(code)")
      let steps = [36, 6, 1].map { (parts[2] - 16) / $0 % 6 }
      // The luminance and the contrast of WCAG 2.1.
      let linear = steps.map { step in
        let value = Double(step == 0 ? 0 : 55 + 40 * step) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
      let (white, black) = (1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05)
      #expect(min(white, black) > 3.9, "\(code): \(white) on white, \(black) on black")
    }
  }

  @Test func `Text is broken at blanks, and within what is longer than a line`() {
    #expect(
      TextWrap.lines("rings at 12:00, if awake", width: 16) == ["rings at 12:00,", "if awake"])
    #expect(
      TextWrap.lines("abcdefghijkl mn", width: 8, indent: 2) == ["abcdefgh", "  ijkl", "  mn"])
    #expect(TextWrap.lines("", width: 8) == [""])
    #expect(TextWrap.lines("茶茶茶茶茶", width: 9) == ["茶茶茶茶", "茶"])
  }
}
