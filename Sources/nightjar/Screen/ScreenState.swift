import NightjarClient

/// Everything that the live screen shows.
struct ScreenState {
  /// A question at the bottom of the screen, and the input so far.
  struct Prompt: Equatable {
    enum Purpose: Hashable {
      /// The words of `nightjar start`, or of another command that starts a timer.
      case start
      /// The span by which to extend the timer of this name.
      case extend(String)
      /// A part of the names to search for.
      case find
    }

    let purpose: Purpose
    var line: LineEditor
    /// The error about the input.
    var error: String?

    var question: String {
      switch purpose {
      case .start: "start: "
      case .extend(let name): "extend \(name) by: "
      case .find: "find: "
      }
    }
  }

  /// The result of a key.
  struct Message: Equatable {
    let text: String
    let isError: Bool
    /// When it disappears, in microseconds since the machine was started; nil: with the next key.
    let endsUsec: Int64?

    /// Reports a success. It disappears after a while.
    static func notice(_ text: String, at now: ClockReading = .now) -> Message {
      Message(text: text, isError: false, endsUsec: now.boottimeUsec + ScreenState.noticeUsec)
    }

    /// Reports an error. It stays until the user presses a key, because the user may not have
    /// looked.
    static func wrong(_ text: String) -> Message {
      Message(text: text, isError: true, endsUsec: nil)
    }
  }

  /// A timer's story and its details.
  struct Story: Equatable {
    let name: String
    let id: Int64
    /// The lines of `nightjar show`, without those that change as time passes.
    var facts: [String] = []
    /// The lines of `nightjar why`.
    var lines: [String] = []
  }

  /// The number of recent events that are stored.
  private static let newsKept = 20
  /// How long a notice stays, in microseconds.
  private static let noticeUsec: Int64 = 5_000_000

  /// All followed timers, in the order of the list: those that ring now first.
  private var all: [LiveTimer] = []
  /// The timers whose names match the filter.
  private(set) var timers: [LiveTimer] = []
  /// The name of the timer that keys act on.
  private(set) var selected: String?
  /// Events since the screen was opened, the latest last.
  private(set) var news: [String] = []
  /// Only timers with this text in their names are shown; empty: all.
  var filter = "" {
    didSet { if filter != oldValue { show(all) } }
  }
  /// The story of the selected timer; nil: not read yet.
  var story: Story?
  /// The daemon has reported a change of the selected timer since the story was read.
  var isStoryStale = true
  /// The first visible line of the details; nil: details are not shown.
  var detailsFrom: Int?
  /// The result of the last key.
  var message: Message?
  var prompt: Prompt?
  var isHelpShown = false
  /// The first visible line of the help.
  var helpFrom = 0
  var isDaemonAway = false
  /// The program that serves the socket, for the message that it is away.
  var server = "the daemon"
  /// Why the daemon is in the background; nil: it is not.
  var backgroundCauses: [Cause]?
  /// The daemon has sent all timers.
  var isSynced = false

  /// The index of the selected timer in `timers`.
  var selectedIndex: Int? { timers.firstIndex { $0.timer.name == selected } }

  /// The timer that keys act on.
  var selectedLive: LiveTimer? { selectedIndex.map { timers[$0] } }

  /// The selected timer, as the daemon reported it.
  var selectedTimer: NightjarTimer? { selectedLive?.timer }

  /// The number of all timers, including those that the filter hides.
  var count: Int { all.count }

  /// The number of all timers that satisfy a condition.
  func count(where isMeant: (LiveTimer) -> Bool) -> Int { all.count(where: isMeant) }

  /// The timers that will ring, in order.
  var ringing: [LiveTimer] { all.filter { $0.timer.state == .running && !$0.isStopwatch } }

  /// The number of `timers` that ring now; they are first.
  var ringingNowCount: Int { timers.prefix { $0.timer.ringsNow }.count }

  /// Replaces the timers. The selection stays on its timer, or at its position.
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

  /// Moves ringing timers to the front. A repeating timer that rings is otherwise ordered by its
  /// next ring, after all timers that ring before that.
  private static func ringingNowFirst(_ timers: [LiveTimer]) -> [LiveTimer] {
    let others = timers.drop { $0.timer.ringsNow }
    guard others.contains(where: \.timer.ringsNow) else { return timers }
    return timers.filter(\.timer.ringsNow) + timers.filter { !$0.timer.ringsNow }
  }

  /// Removes a message whose time is over.
  mutating func passTime(to now: ClockReading) {
    if let endsUsec = message?.endsUsec, endsUsec <= now.boottimeUsec { message = nil }
  }

  /// Moves the selection by this many lines.
  mutating func move(by lines: Int) {
    guard !timers.isEmpty else { return }
    let index = min(max((selectedIndex ?? 0) + lines, 0), timers.count - 1)
    select(index)
  }

  /// Selects the timer at an index.
  mutating func select(_ index: Int) {
    guard timers.indices.contains(index) else { return }
    selected = timers[index].timer.name
  }

  /// Adds a recent event.
  mutating func tell(_ sentence: String) {
    news.append(sentence)
    if news.count > Self.newsKept { news.removeFirst() }
  }
}
