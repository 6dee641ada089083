internal import NightjarInterface
package import NightjarModel
package import Varlink

/// `HoldRings`: a first reply with the number of the hold, and then a reply for each background
/// span that ends. The hold lasts as long as the stream.
package final class HoldStream: ReplyStream {
  private var number: Int64 = 0
  private let end: (_ hold: Int64) -> Void
  /// The IDs of the background spans for which the client has not received a reply yet. The element
  /// nil stands for the first reply.
  private var unsent: [Int64?] = [nil]

  /// - Parameters:
  ///   - begin: begins the hold, and returns its number. For each background span that ends, it
  ///     calls its argument with the span's ID.
  ///   - end: ends the hold with this number. Called when the connection is closed.
  ///   - onReady: called when the stream has another reply. The caller must then pump the stream.
  package init(
    begin: (_ onSpan: @escaping (_ span: Int64) -> Void) -> Int64,
    end: @escaping (_ hold: Int64) -> Void, onReady: @escaping (HoldStream) -> Void
  ) {
    self.end = end
    number = begin { [weak self] span in
      guard let self else { return }
      unsent.append(span)
      onReady(self)
    }
  }

  deinit { end(number) }

  package func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    while let span = unsent.first, outlet.hasRoom {
      var reply = Wire.HoldRings.Reply(hold: number)
      reply.spanId = span
      JSONWriter.append(to: &outlet.output) { $0.reply(reply, continues: true) }
      unsent.removeFirst()
    }
    return unsent.isEmpty ? .waiting : .hasMore
  }

  package func deliver(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState { unsent.isEmpty ? .waiting : .hasMore }
}
