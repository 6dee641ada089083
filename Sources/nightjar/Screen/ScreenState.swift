import NightjarClient

/// All that the live screen shows.
struct ScreenState {
  /// A question at the bottom of the screen, and what has been typed so far.
  struct Prompt: Equatable {
    enum Purpose: Hashable {
      /// The words of `nightjar start`, or of another command that starts a timer.
      case start
      /// By how much to extend the timer of this name.
      case extend(String)
      /// A part of the names that are looked for.
      case find
    }

    let purpose: Purpose
    var line: LineEditor
    /// What was wrong with what was typed.
    var error: String?

    var question: String {
      switch purpose {
      case .start: "start: "
      case .extend(let name): "extend \(name) by: "
      case .find: "find: "
      }
    }
  }

  /// What came of a key.
  struct Message: Equatable {
    let text: String
    let isError: Bool
    /// When it goes, in microseconds since the machine was started; nil: with the next key.
    let endsUsec: Int64?

    /// What was done. It goes after a while.
    static func notice(_ text: String, at now: ClockReading = .now) -> Message {
      Message(text: text, isError: false, endsUsec: now.boottimeUsec + ScreenState.noticeUsec)
    }

    /// What went wrong. It stays until the user presses a key, who may not have looked.
    static func wrong(_ text: String) -> Message {
      Message(text: text, isError: true, endsUsec: nil)
    }
  }

  /// What happened to a timer, and all that is known about it.
  struct Story: Equatable {
    let name: String
    let id: Int64
    /// What `nightjar show` has about it, but for what changes by itself.
    var facts: [String] = []
    /// What `nightjar why` has about it.
    var lines: [String] = []
  }

  /// The most of what happened that is kept.
  private static let newsKept = 20
  /// How long a notice stays, in microseconds.
  private static let noticeUsec: Int64 = 5_000_000

  /// All there are that are followed, in the order in which they are shown: what rings now first.
  private var all: [LiveTimer] = []
  /// Those of them whose names are looked for.
  private(set) var timers: [LiveTimer] = []
  /// The name of the one that keys are about.
  private(set) var selected: String?
  /// What happened while it was shown, the latest last.
  private(set) var news: [String] = []
  /// Only timers with this in their names are shown; empty: all.
  var filter = "" {
    didSet { if filter != oldValue { show(all) } }
  }
  /// What is known about the selected timer; nil: not asked for yet.
  var story: Story?
  /// The daemon has said something about the selected timer since.
  var isStoryStale = true
  /// The first line of the details that is shown; nil: details are not shown.
  var detailsFrom: Int?
  /// What came of the last key.
  var message: Message?
  var prompt: Prompt?
  var isHelpShown = false
  /// The first line of the help that is shown.
  var helpFrom = 0
  var isDaemonAway = false
  /// Who serves the socket, for the line that says that it is away.
  var server = "the daemon"
  /// Why the daemon is in the background; nil: it is not.
  var backgroundCauses: [Cause]?
  /// All there was has been told.
  var isSynced = false

  /// Where in `timers` the selected one is.
  var selectedIndex: Int? { timers.firstIndex { $0.timer.name == selected } }

  /// The one that keys are about.
  var selectedLive: LiveTimer? { selectedIndex.map { timers[$0] } }

  /// As the daemon has it.
  var selectedTimer: NightjarTimer? { selectedLive?.timer }

  /// How many there are, also those whose names are not looked for.
  var count: Int { all.count }

  /// How many of all of them are so.
  func count(where isMeant: (LiveTimer) -> Bool) -> Int { all.count(where: isMeant) }

  /// Those that are to ring, in order.
  var ringing: [LiveTimer] { all.filter { $0.timer.state == .running && !$0.isStopwatch } }

  /// How many of `timers` ring now; they stand first.
  var ringingNowCount: Int { timers.prefix { $0.timer.ringsNow }.count }

  /// Takes in what there is now; the selection stays with its timer, or with its place.
  mutating func show(_ followed: [LiveTimer]) {
    let place = selectedIndex ?? 0
    let timers = Self.ringingNowFirst(followed)
    all = timers
    let wanted = filter.lowercased()
    self.timers =
      wanted.isEmpty
      ? timers : timers.filter { $0.timer.name.lowercased().contains(wanted) }
    if selectedIndex == nil {
      selected =
        self.timers.isEmpty ? nil : self.timers[min(place, self.timers.count - 1)].timer.name
    }
    if selectedIndex == nil { detailsFrom = nil }
  }

  /// One that repeats would be ordered by its next ring, and stand behind all that ring before that
  /// while it rings.
  private static func ringingNowFirst(_ timers: [LiveTimer]) -> [LiveTimer] {
    let others = timers.drop { $0.timer.ringsNow }
    guard others.contains(where: \.timer.ringsNow) else { return timers }
    return timers.filter(\.timer.ringsNow) + timers.filter { !$0.timer.ringsNow }
  }

  /// Takes away what has been shown for long enough.
  mutating func passTime(to now: ClockReading) {
    if let endsUsec = message?.endsUsec, endsUsec <= now.boottimeUsec { message = nil }
  }

  /// Moves the selection by so many lines.
  mutating func move(by lines: Int) {
    guard !timers.isEmpty else { return }
    let index = min(max((selectedIndex ?? 0) + lines, 0), timers.count - 1)
    select(index)
  }

  /// Selects the one at a place.
  mutating func select(_ index: Int) {
    guard timers.indices.contains(index) else { return }
    selected = timers[index].timer.name
  }

  /// Notes what happened.
  mutating func tell(_ sentence: String) {
    news.append(sentence)
    if news.count > Self.newsKept { news.removeFirst() }
  }
}
