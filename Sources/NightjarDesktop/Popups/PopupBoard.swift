internal import Glibc
internal import NightjarModel
internal import NightjarSystem

/// Keeps the screen as it should be: sends popups, again where they have changed, closes them, and
/// puts all of them up again when another server comes.
///
/// However many there are and however slow the server is, a few calls are under way at most.
final class PopupBoard {
  /// The most calls that wait for the server.
  private static let callsAtOnce = 4
  /// A popup is not changed more often, in microseconds.
  private static let restUsec: Int64 = 1_000_000
  /// So long, in microseconds, a server may take before what it should have had heard is played
  /// without it.
  static let soundUsec: Int64 = 3_000_000

  /// What happened to a popup.
  enum News {
    /// A button was pressed.
    case pressed(key: String)
    /// A person has closed it.
    case dismissed
    /// It is not there any more, and nobody will do anything about it there.
    case gone
    /// The server did not have its sound heard.
    case unheard(RingSound)
  }

  private let loop: EventLoop
  private let server: NotificationServer
  private let text: (Popup) -> Notice?
  private let onNews: (Popup, News) -> Void
  private var timer: TimerSource?
  private(set) var popups: [Popup] = []
  private var byID: [UInt32: Popup] = [:]
  private var closing: [UInt32] = []
  private var underWay = 0
  /// Where the numbers hold.
  private(set) var place: String?
  /// Counts the places; an answer from another is void.
  private var epoch = 0

  /// - Parameter text: what a popup says now; nil: nothing any more.
  init(
    loop: EventLoop, server: NotificationServer, text: @escaping (Popup) -> Notice?,
    onNews: @escaping (Popup, News) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.server = server
    self.text = text
    self.onNews = onNews
    timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
  }

  // MARK: What is wanted

  /// Puts a popup up, or up again with what it says now.
  func show(_ popup: Popup) {
    popup.isNews = true
    renew(popup)
  }

  /// Has a popup that is up say what is so now, which is less than before; one that is gone, or about
  /// to go, stays so.
  func refresh(_ popup: Popup) {
    if popup.state != .gone, !popup.isAnswered { renew(popup) }
  }

  private func renew(_ popup: Popup) {
    if !popups.contains(where: { $0 === popup }) { popups.append(popup) }
    popup.isOver = false
    popup.isAnswered = false
    switch popup.state {
    case .due: break
    case .sending: popup.isStale = true
    case .shown, .gone: popup.state = .due
    }
    pumpSoon()
  }

  /// Takes a popup down, for good.
  func close(_ popup: Popup) {
    popups.removeAll { $0 === popup }
    popup.sound = nil
    switch popup.state {
    case .sending: popup.isOver = true
    case .due, .shown, .gone: takeDown(popup)
    }
    popup.state = .gone
    pumpSoon()
  }

  /// Leaves a popup to itself: it is nobody's any more.
  func forget(_ popup: Popup) {
    popups.removeAll { $0 === popup }
    if byID[popup.id] === popup { byID[popup.id] = nil }
    popup.sound = nil
    popup.state = .gone
  }

  /// Takes all of them down at once: the daemon ends.
  func end() {
    for id in byID.keys { server.close(id) {} }
    byID = [:]
    for popup in popups { forget(popup) }
  }

  private func takeDown(_ popup: Popup) {
    guard popup.id != 0 else { return }
    byID[popup.id] = nil
    closing.append(popup.id)
    popup.id = 0
  }

  // MARK: What is done about it

  private var isPumpDue = false

  /// At the end of the pass, for all that has changed in it.
  private func pumpSoon() {
    guard !isPumpDue else { return }
    isPumpDue = true
    loop.later { [weak self] in
      self?.isPumpDue = false
      self?.pump()
    }
  }

  private func pump() {
    let now = loop.now.monotonicUsec
    while server.identity != nil, underWay < Self.callsAtOnce {
      if let id = closing.popLast() {
        underWay += 1
        let asked = epoch
        server.close(id) { [weak self] in self?.callEnded(asked) }
      } else if let popup = popups.first(where: { $0.state == .due && $0.restsUntilUsec <= now }) {
        send(popup)
      } else {
        break
      }
    }
    arm()
  }

  private func send(_ popup: Popup) {
    guard let notice = text(popup) else { return close(popup) }
    popup.state = .sending
    popup.isStale = false
    (popup.isNewsSent, popup.isNews) = (popup.isNews, false)
    popup.restsUntilUsec = loop.now.monotonicUsec + Self.restUsec
    underWay += 1
    let asked = epoch
    server.show(notice, replacing: popup.id) { [weak self] result in
      guard let self, asked == epoch else { return }
      sent(popup, result)
      callEnded(asked)
    }
  }

  private func callEnded(_ asked: Int) {
    guard asked == epoch else { return }
    underWay -= 1
    pumpSoon()
  }

  private func sent(_ popup: Popup, _ result: Result<UInt32, SystemError>) {
    switch result {
    case .success(let id):
      popup.isNewsSent = false
      popup.sound = nil
      if byID[popup.id] === popup { byID[popup.id] = nil }
      popup.id = id
      byID[id] = popup
      if popup.isOver {
        takeDown(popup)
      } else {
        popup.state = popup.isStale ? .due : .shown
      }
    case .failure(let error):
      unheard(popup)
      if popup.isOver { break }
      // It may be back: what it was asked for is asked again then, or after a while.
      popup.state = .due
      takeBackNews(popup)
      guard !Self.isAbsence(error.code) else { break }
      Log.write(.warning, "a notification was refused: \(error)", [("NIGHTJAR_RING", "unseen")])
      forget(popup)
      onNews(popup, .gone)
    }
    popup.onSent?(result)
    popup.onSent = nil
  }

  /// What was on its way has not been shown.
  private func takeBackNews(_ popup: Popup) {
    if popup.isNewsSent { (popup.isNews, popup.isNewsSent) = (true, false) }
  }

  private static func isAbsence(_ code: Int32) -> Bool {
    [ETIMEDOUT, EHOSTUNREACH, ECONNRESET, ENOTCONN, ENXIO, ESHUTDOWN, EPIPE].contains(code)
  }

  private func unheard(_ popup: Popup) {
    guard let sound = popup.sound else { return }
    popup.sound = nil
    onNews(popup, .unheard(sound.is))
  }

  private func arm() {
    let sounds = popups.compactMap { $0.sound?.untilUsec }
    let rests =
      server.identity != nil && underWay < Self.callsAtOnce
      ? popups.filter { $0.state == .due }.map(\.restsUntilUsec) : []
    timer?.arm(atUsec: (sounds + rests).min())
  }

  private func timePassed() {
    let now = loop.now.monotonicUsec
    for popup in popups where popup.sound.map({ $0.untilUsec <= now }) ?? false { unheard(popup) }
    pump()
  }

  // MARK: What the server says

  /// Its state is another.
  func serverChanged() {
    switch server.state {
    case .present(let identity):
      if identity.place != place { move(to: identity.place) }
    case .asking: break
    case .unreachable, .absent, .mute: for popup in popups { unheard(popup) }
    }
    pumpSoon()
  }

  /// What was up in another place is up nowhere; whether somebody had closed it there, is known.
  private func move(to place: String) {
    self.place = place
    epoch += 1
    underWay = 0
    byID = [:]
    closing = []
    for popup in popups {
      popup.id = 0
      takeBackNews(popup)
      if !popup.isAnswered { popup.state = .due }
      popup.restsUntilUsec = 0
    }
  }

  func invoked(_ id: UInt32, _ key: String) {
    guard let popup = byID[id] else { return }
    popup.isAnswered = true
    onNews(popup, .pressed(key: key))
  }

  func closed(_ id: UInt32, _ closing: NotificationServer.Closing) {
    guard let popup = byID.removeValue(forKey: id) else { return }
    popup.id = 0
    switch popup.state {
    case .shown: popup.state = .gone
    // What was closed is not what is about to be shown in its place, if there is news in that.
    case .due, .sending, .gone:
      guard closing == .dismissed, !popup.isNews, !popup.isNewsSent, popup.state != .gone else {
        return
      }
      // Nothing more is sent; what is on its way is closed with what is answered.
      if popup.state == .due { popup.state = .gone }
      popup.isStale = false
    }
    // What was pressed is on its way to the disk, which may not take it.
    guard !popup.isAnswered else { return }
    if closing == .dismissed {
      popup.isAnswered = true
      onNews(popup, .dismissed)
    } else {
      forget(popup)
      onNews(popup, .gone)
    }
  }
}
