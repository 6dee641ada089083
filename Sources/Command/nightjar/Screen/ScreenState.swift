import NightjarClient

struct ScreenState {
  /// A question in the footer, and the input so far.
  struct Prompt: Equatable {
    enum Purpose: Hashable {
      /// The words of `nightjar start`, or of another command that starts a timer.
      case start
      /// The time span by which to extend the timer of this name.
      case extend(String)
      /// A part of the names to find.
      case find
    }

    let purpose: Purpose
    var line: LineEditor
    /// The error about the input; nil: there is none.
    var error: String?

    var question: String {
      switch purpose {
      case .start: "start: "
      case .extend(let name): "extend \(name) by: "
      case .find: "find: "
      }
    }
  }

  /// A message about the result of a key.
  struct Message: Equatable {
    let text: String
    let isError: Bool
    /// When the message disappears, in microseconds since the machine was started; nil: when the
    /// user presses a key.
    let endsUsec: Int64?

    /// A message about a success. It disappears after `noticeUsec`.
    static func notice(_ text: String, at now: ClockReading = .now) -> Message {
      Message(text: text, isError: false, endsUsec: now.boottimeUsec + ScreenState.noticeUsec)
    }

    /// A message about an error. It stays until the user presses a key, so that a user who looks
    /// away does not miss it.
    static func wrong(_ text: String) -> Message {
      Message(text: text, isError: true, endsUsec: nil)
    }
  }

  /// The story and the details of a timer.
  struct Story: Equatable {
    let name: String
    let id: Int64
    /// The lines of `nightjar show`. Lines that change as time passes are left out.
    var facts: [String] = []
    /// The lines of `nightjar why`.
    var lines: [String] = []
  }

  private static let newsLimit = 50
  /// How long a message about a success stays, in microseconds.
  private static let noticeUsec: Int64 = 5_000_000

  /// All followed timers, in the order of the list: the timers that ring are first.
  private var all: [LiveTimer] = []
  /// The timers whose names match the filter.
  private(set) var timers: [LiveTimer] = []
  /// The name of the timer on which keys act; nil: there is no timer.
  private(set) var selected: String?
  /// The texts of the events since the screen was opened, the latest last.
  private(set) var news: [String] = []
  /// What timers did today; nil: it has not been read.
  var today: HistoryPicture?
  /// The text that the names of the shown timers contain; empty: all timers are shown.
  var filter = "" {
    didSet { if filter != oldValue { show(all) } }
  }
  /// The story of the selected timer; nil: the story has not been read yet.
  var story: Story?
  /// Whether the daemon has reported a change of the selected timer since the story was read.
  var isStoryStale = true
  /// The number of the first visible line of the details; nil: the details are not shown.
  var detailsFrom: Int?
  /// The message about the last key; nil: there is none.
  var message: Message?
  var prompt: Prompt?
  var isHelpShown = false
  /// Whether the clock of a timer fills the screen.
  var isClockShown = false
  /// The names of the presets, in alphabetical order.
  var presets: [String] = []
  /// The name of a timer that was just started, and is selected when the daemon reports it.
  var awaited: String?
  /// The number of the first visible line of the help.
  var helpFrom = 0
  var isDaemonAway = false
  /// The name of the program that serves the socket, for the message that it is away.
  var server = "the daemon"
  /// The reasons why the daemon is in the background; nil: it is in the foreground.
  var backgroundCauses: [Wire.Cause]?
  /// Whether the daemon has sent all timers.
  var isSynced = false

  /// The index of the selected timer in `timers`.
  var selectedIndex: Int? { timers.firstIndex { $0.timer.name == selected } }

  /// The timer on which keys act; nil: there is none.
  var selectedLive: LiveTimer? { selectedIndex.map { timers[$0] } }

  var selectedTimer: Wire.Timer? { selectedLive?.timer }

  /// The number of all timers, including those that the filter hides.
  var count: Int { all.count }

  /// The number of all timers that satisfy a condition.
  func count(where isIncluded: (LiveTimer) -> Bool) -> Int { all.count(where: isIncluded) }

  /// The timers that will ring, in the order of the list.
  var ringing: some Collection<LiveTimer> {
    all.lazy.filter { $0.timer.nextRingUsec != nil }
  }

  /// The number of timers that ring now. They are the first in `timers`.
  var ringingNowCount: Int { timers.prefix { $0.timer.ringing == .ringing }.count }

  /// Replaces the timers. The same timer stays selected. If it is gone, the timer at its position
  /// is selected.
  mutating func show(_ followed: [LiveTimer]) {
    let place = selectedIndex ?? 0
    all = Self.grouped(followed)
    let wanted = filter.lowercased()
    timers =
      wanted.isEmpty ? all : all.filter { $0.timer.name.lowercased().contains(wanted) }
    if let awaited, all.contains(where: { $0.timer.name == awaited }) {
      if timers.contains(where: { $0.timer.name == awaited }) { selected = awaited }
      self.awaited = nil
    }
    if selectedIndex == nil {
      selected = timers.isEmpty ? nil : timers[min(place, timers.count - 1)].timer.name
    }
    if selectedIndex == nil { detailsFrom = nil }
  }

  /// The timers, with those of a group such as `job/…` together, where its first timer is. Timers
  /// that ring stay at the top.
  private static func grouped(_ timers: [LiveTimer]) -> [LiveTimer] {
    var places: [Substring: Int] = [:]
    var groups: [[LiveTimer]] = []
    for live in timers {
      if live.timer.ringing != .ringing, let group = live.group {
        if let place = places[group] {
          groups[place].append(live)
          continue
        }
        places[group] = groups.count
      }
      groups.append([live])
    }
    return Array(groups.joined())
  }

  /// Removes the message if its time is over.
  mutating func passTime(to now: ClockReading) {
    if let endsUsec = message?.endsUsec, endsUsec <= now.boottimeUsec { message = nil }
  }

  /// Moves the selection down by a number of lines; up if the number is negative.
  mutating func move(by lines: Int) {
    guard !timers.isEmpty else { return }
    let index = min(max((selectedIndex ?? 0) + lines, 0), timers.count - 1)
    select(index)
  }

  mutating func select(_ index: Int) {
    guard timers.indices.contains(index) else { return }
    selected = timers[index].timer.name
  }

  mutating func addNews(_ sentence: String) {
    news.append(sentence)
    if news.count > Self.newsLimit { news.removeFirst() }
  }
}
