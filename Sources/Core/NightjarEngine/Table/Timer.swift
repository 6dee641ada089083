public import NightjarModel

/// All that is stored of a timer, except its name and its place in a queue.
public struct Timer: Equatable, Sendable {
  /// The fields that every timer has.
  public var record: TimerRecord
  /// The state beyond a plain countdown; nil: the timer is a plain countdown.
  public var detail: TimerDetail?
  /// What few timers have; nil: nothing of it. It is replaced as a whole, so copies of the timer
  /// can share it.
  private var rare: Rare?

  public init(_ record: TimerRecord, _ detail: TimerDetail? = nil) {
    self.record = record
    self.detail = detail
  }

  /// The labels, data, message and ring that a client attached; nil: none.
  public var attachments: Attachments? {
    get { rare?.content.attachments }
    set { change { $0.attachments = newValue } }
  }

  /// The laps of a stopwatch, in order, in microseconds.
  public var laps: [Int64] {
    get { rare?.content.laps ?? [] }
    set { change { $0.laps = newValue } }
  }

  /// A pause that did not change `record.setSeq`; nil: there was none.
  public var interruption: Interruption? {
    get { rare?.content.interruption }
    set { change { $0.interruption = newValue } }
  }

  /// The last failed command; nil: none failed, or a client dismissed it.
  public var failure: CommandFailure? {
    get { rare?.content.failure }
    set { change { $0.failure = newValue } }
  }

  /// The skipped expiries as `Event.SkippedExpiry.key`, in order. Of more than `Limits.skips`, the
  /// first ones are dropped.
  public var passedOver: [Int64] {
    get { rare?.content.passedOver ?? [] }
    set { change { $0.passedOver = Array(newValue.sorted().suffix(Limits.skips)) } }
  }

  private mutating func change(_ body: (inout Rare.Content) -> Void) {
    var content = rare?.content ?? Rare.Content()
    body(&content)
    guard content != rare?.content else { return }
    rare = content == Rare.Content() ? nil : Rare(content)
  }

  private final class Rare: Equatable, Sendable {
    struct Content: Equatable, Sendable {
      var attachments: Attachments?
      var laps: [Int64] = []
      var interruption: Interruption?
      var failure: CommandFailure?
      var passedOver: [Int64] = []
    }

    let content: Content

    init(_ content: Content) { self.content = content }

    static func == (a: Rare, b: Rare) -> Bool { a === b || a.content == b.content }
  }
}
