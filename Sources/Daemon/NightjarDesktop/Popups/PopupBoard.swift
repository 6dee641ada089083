internal import Glibc
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTrust

/// Keeps the popups on the screen up to date: sends them, sends changes, closes them, and shows all
/// of them again when another server starts.
///
/// Only a few calls to the server are pending at a time, even with many popups or a slow server.
final class PopupBoard {
  /// The most calls to the server that are pending.
  private static let callsAtOnce = 4
  /// The shortest time between two updates of the same popup, in microseconds.
  private static let pauseUsec: Int64 = 1_000_000
  /// How long, in microseconds, a server may take to accept a popup. After that, this process plays
  /// the popup's sound itself.
  static let soundUsec: Int64 = 3_000_000

  enum Event {
    case pressed(key: String)
    /// The user has closed it.
    case dismissed
    /// The popup was closed for another reason, and no answer will come from it.
    case gone
    /// The server does not show it.
    case refused
    /// The server did not play the popup's sound.
    case unheard(RingSound)
  }

  private let loop: EventLoop
  private let server: NotificationServer
  private let note: Note?
  private let text: (Popup) -> Notice?
  private let onEvent: (Popup, Event) -> Void
  private var timer: TimerSource?
  private(set) var popups: [Popup] = []
  private var byID: [UInt32: Popup] = [:]
  private var closing: [UInt32] = []
  private var inFlight = 0
  /// Identifies the run of the server for which the numbers of the popups are valid; nil: no server
  /// has been seen.
  private(set) var place: String?
  /// The number of servers that were seen. An answer of an earlier server is ignored.
  private var epoch = 0

  /// - Parameter text: returns the present text of a popup; nil: the popup has no text any more.
  init(
    loop: EventLoop, server: NotificationServer, note: Note?, text: @escaping (Popup) -> Notice?,
    onEvent: @escaping (Popup, Event) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.server = server
    self.note = note
    self.text = text
    self.onEvent = onEvent
    timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
  }

  // MARK: Requests

  /// Shows a popup, or shows it again with its present text.
  func show(_ popup: Popup) {
    popup.hasNewContent = true
    renew(popup)
  }

  /// Updates a popup whose text has less content than before. Does nothing if the popup is closed
  /// or was answered.
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

  /// Closes a popup for good.
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

  /// Stops keeping a popup up to date, without closing it.
  func forget(_ popup: Popup) {
    popups.removeAll { $0 === popup }
    if byID[popup.id] === popup { byID[popup.id] = nil }
    popup.sound = nil
    popup.state = .gone
  }

  /// Closes all popups at once, because the daemon exits.
  func end() {
    for id in byID.keys + closing { server.close(id) {} }
    (byID, closing) = ([:], [])
    store()
    for popup in popups { forget(popup) }
  }

  private func takeDown(_ popup: Popup) {
    guard popup.id != 0 else { return }
    byID[popup.id] = nil
    closing.append(popup.id)
    popup.id = 0
  }

  // MARK: Calls

  private var isPumpDue = false

  /// Sends calls to the server at the end of the iteration, for all changes in this iteration
  /// together.
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
    while server.identity != nil, inFlight < Self.callsAtOnce {
      if let id = closing.popLast() {
        inFlight += 1
        let asked = epoch
        server.close(id) { [weak self] in self?.callEnded(asked) }
      } else if let popup = popups.first(where: { $0.state == .due && $0.pausedUntilUsec <= now }) {
        send(popup)
      } else {
        break
      }
    }
    store()
    arm()
  }

  /// Stores which popups are shown. If this process is killed, the next one closes them.
  private func store() {
    guard let place, let note else { return }
    let text = ([place] + (byID.keys.sorted() + closing).map(String.init)).joined(separator: ",")
    guard note.text != text, !note.write(text) else { return }
    let error = SystemError(operation: "write the note", code: errno)
    Log.write(.warning, "popups will stay if this process is killed: \(error)")
  }

  private func send(_ popup: Popup) {
    guard let notice = text(popup) else { return close(popup) }
    popup.state = .sending
    popup.isStale = false
    (popup.isNewContentSent, popup.hasNewContent) = (popup.hasNewContent, false)
    popup.pausedUntilUsec = loop.now.monotonicUsec + Self.pauseUsec
    inFlight += 1
    let asked = epoch
    server.show(notice, replacing: popup.id) { [weak self] result in
      guard let self, asked == epoch else { return }
      sent(popup, result)
      callEnded(asked)
    }
  }

  private func callEnded(_ asked: Int) {
    guard asked == epoch else { return }
    inFlight -= 1
    pumpSoon()
  }

  private func sent(_ popup: Popup, _ result: Result<UInt32, SystemError>) {
    switch result {
    case .success(let id):
      popup.isNewContentSent = false
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
      // If there is no server now, the popup is sent again when a server appears, or after a while.
      popup.state = .due
      restoreNewContent(popup)
      guard !Self.isAbsence(error.code) else { break }
      Log.write(.warning, "a notification was refused: \(error)", [("NIGHTJAR_RING", "unseen")])
      forget(popup)
      onEvent(popup, .refused)
    }
    popup.onSent?(result)
    popup.onSent = nil
  }

  /// Marks an update with new content as pending again, because the server has not shown it.
  private func restoreNewContent(_ popup: Popup) {
    if popup.isNewContentSent { (popup.hasNewContent, popup.isNewContentSent) = (true, false) }
  }

  private static func isAbsence(_ code: Int32) -> Bool {
    [ETIMEDOUT, EHOSTUNREACH, ECONNRESET, ENOTCONN, ENXIO, ESHUTDOWN, EPIPE].contains(code)
  }

  private func unheard(_ popup: Popup) {
    guard let sound = popup.sound else { return }
    popup.sound = nil
    onEvent(popup, .unheard(sound.is))
  }

  private func arm() {
    let sounds = popups.compactMap { $0.sound?.untilUsec }
    let rests =
      server.identity != nil && inFlight < Self.callsAtOnce
      ? popups.filter { $0.state == .due }.map(\.pausedUntilUsec) : []
    timer?.arm(atUsec: (sounds + rests).min())
  }

  private func timePassed() {
    let now = loop.now.monotonicUsec
    for popup in popups where popup.sound.map({ $0.untilUsec <= now }) ?? false { unheard(popup) }
    pump()
  }

  // MARK: Signals of the server

  func serverChanged() {
    switch server.state {
    case .present(let identity):
      if identity.place != place { move(to: identity.place) }
    case .asking: break
    case .unreachable, .absent, .unresponsive: for popup in popups { unheard(popup) }
    }
    pumpSoon()
  }

  /// Sends all popups to another server. A popup that the user has closed on the previous server
  /// stays closed.
  private func move(to place: String) {
    let left = self.place == nil ? note?.text?.split(separator: ",") ?? [] : []
    self.place = place
    epoch += 1
    inFlight = 0
    byID = [:]
    closing = left.first == place[...] ? left.compactMap { UInt32($0) } : []
    for popup in popups {
      popup.id = 0
      restoreNewContent(popup)
      if !popup.isAnswered { popup.state = .due }
      popup.pausedUntilUsec = 0
    }
  }

  func invoked(_ id: UInt32, _ key: String) {
    guard let popup = byID[id] else { return }
    popup.isAnswered = true
    onEvent(popup, .pressed(key: key))
  }

  func closed(_ id: UInt32, _ closing: NotificationServer.Closing) {
    guard let popup = byID.removeValue(forKey: id) else { return }
    popup.id = 0
    switch popup.state {
    case .shown: popup.state = .gone
    // The user has closed the old content of the popup. If new content is about to be shown, the
    // popup stays.
    case .due, .sending, .gone:
      guard closing == .dismissed, !popup.hasNewContent, !popup.isNewContentSent,
        popup.state != .gone
      else {
        return
      }
      // The user has seen the popup, so a pending update is not sent. If an update is on its way to
      // the server, its popup is closed when the ring is answered.
      if popup.state == .due { popup.state = .gone }
      popup.isStale = false
    }
    // If the user has pressed a button, the requested change is being committed. The commit may
    // fail, so the popup is kept.
    guard !popup.isAnswered else { return }
    if closing == .dismissed {
      popup.isAnswered = true
      onEvent(popup, .dismissed)
    } else {
      forget(popup)
      onEvent(popup, .gone)
    }
  }
}
