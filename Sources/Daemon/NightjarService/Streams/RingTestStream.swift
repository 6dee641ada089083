package import NightjarInterface
package import NightjarModel
package import Varlink

/// `TestRing`: one reply, when the result is known.
package final class RingTestStream: ReplyStream {
  private var check: RingCheck?

  /// - Parameters:
  ///   - begin: starts the test. It must call the function that it is given once, with the result.
  ///   - onReady: called when the result is known. The caller must then pump the stream.
  package init(
    _ begin: (@escaping (RingCheck) -> Void) -> Void, onReady: @escaping (RingTestStream) -> Void
  ) {
    begin { [weak self] check in
      guard let self else { return }
      self.check = check
      onReady(self)
    }
  }

  package func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    guard let check else { return .waiting }
    let reply = Wire.TestRing.Reply(ring: Wire.RingReport(check))
    JSONWriter.append(to: &outlet.output) { $0.reply(reply) }
    return .ended
  }

  package func deliver(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState { .waiting }
}
