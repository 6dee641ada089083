internal import NightjarCore
internal import NightjarMethods
internal import NightjarSystem
internal import NightjarWire

/// `TestRing`: one reply, when it is known what came of it.
final class TrialStream: ReplyStream {
  private var report: RingReport?

  init(of notifier: Notifier, onReady: @escaping (TrialStream) -> Void) {
    notifier.tryRing { [weak self] report in
      guard let self else { return }
      self.report = report
      onReady(self)
    }
  }

  func pump(_ session: Session, at now: Moment) -> StreamState {
    guard let report else { return .waiting }
    JSONWriter.append(to: &session.output) { writer in
      writer.beginReply()
      writer.key("ring")
      writer.ring(report)
      writer.endReply()
    }
    return .ended
  }

  func tell(
    _ events: [Event], durable: Bool, to session: Session, at now: Moment
  ) -> StreamState { .waiting }
}
