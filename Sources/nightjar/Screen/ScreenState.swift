import NightjarClient

/// All that the live screen shows.
struct ScreenState {
  /// A question at the bottom of the screen, and what has been typed so far.
  struct Prompt: Equatable {
    enum Purpose: Equatable {
      /// The words of `nightjar start`.
      case start
      /// By how much to extend the timer of this name.
      case extend(String)
    }

    let purpose: Purpose
    var typed = ""

    var question: String {
      switch purpose {
      case .start: "start (such as tea 4min): "
      case .extend(let name): "extend \(name) by: "
      }
    }
  }

  /// The most that can be typed.
  static let longestTyped = 512
  /// The most of what happened that is kept.
  private static let newsKept = 20

  /// In the order in which they are shown.
  var timers: [LiveTimer] = []
  /// The name of the one that keys are about.
  private(set) var selected: String?
  /// What happened while it was shown, the latest last.
  private(set) var news: [String] = []
  /// What came of the last key.
  var message: (text: String, isError: Bool)?
  var prompt: Prompt?
  var isHelpShown = false
  var isDaemonAway = false
  /// Why the daemon is in the background; nil: it is not.
  var backgroundCauses: [Cause]?
  /// All there was has been told.
  var isSynced = false

  /// Where in `timers` the selected one is.
  var selectedIndex: Int? { timers.firstIndex { $0.timer.name == selected } }

  /// The one that keys are about.
  var selectedTimer: NightjarTimer? { selectedIndex.map { timers[$0].timer } }

  /// Takes in what there is now; the selection stays with its timer, or with its place.
  mutating func show(_ timers: [LiveTimer]) {
    let place = selectedIndex ?? 0
    self.timers = timers
    if selectedIndex == nil {
      selected = timers.isEmpty ? nil : timers[min(place, timers.count - 1)].timer.name
    }
  }

  /// Moves the selection by so many lines.
  mutating func move(by lines: Int) {
    guard !timers.isEmpty else { return }
    let index = min(max((selectedIndex ?? 0) + lines, 0), timers.count - 1)
    selected = timers[index].timer.name
  }

  /// Notes what happened.
  mutating func tell(_ sentence: String) {
    news.append(sentence)
    if news.count > Self.newsKept { news.removeFirst() }
  }
}
