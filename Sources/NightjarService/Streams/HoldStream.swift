package import NightjarModel
internal import NightjarVarlink

/// `HoldRings`: a first reply with the number of the hold, and then a reply for each background
/// span that ends. The hold lasts as long as the stream.
package final class HoldStream: ReplyStream {
  private struct Reply: HoldRingsReply {
    let hold: Int64
    let spanId: Int64?
  }

  /// The number of this hold.
  package let number: Int64
  private let onEnd: (Int64) -> Void
  /// The IDs of the background spans for which the client has not received a reply yet. The element
  /// nil stands for the first reply.
  private var unsent: [Int64?] = [nil]

  /// - Parameter onEnd: called with the number of the hold when the connection is closed.
  package init(number: Int64, onEnd: @escaping (Int64) -> Void) {
    self.number = number
    self.onEnd = onEnd
  }

  deinit { onEnd(number) }

  /// Adds the reply for a background span that has ended. The caller must pump the stream after
  /// this call.
  package func add(span: Int64) { unsent.append(span) }

  package func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    while let span = unsent.first, outlet.hasRoom {
      JSONWriter.append(to: &outlet.output) {
        Reply(hold: number, spanId: span).write(to: &$0, continues: true)
      }
      unsent.removeFirst()
    }
    return unsent.isEmpty ? .waiting : .hasMore
  }

  package func deliver(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState { unsent.isEmpty ? .waiting : .hasMore }
}
