package import NightjarModel
internal import NightjarVarlink

/// `HoldRings`: a first reply with the number of the hold, and one for each background span that is over. The hold
/// lasts as long as the stream.
package final class HoldStream: ReplyStream {
  private struct Reply: HoldRingsReply {
    let hold: Int64
    let spanId: Int64?
  }

  /// Of this hold.
  package let number: Int64
  private let onEnd: (Int64) -> Void
  /// The spans of which the client has not been told; nil stands for the first reply.
  private var untold: [Int64?] = [nil]

  /// - Parameter onEnd: called with the number when the connection is closed.
  package init(number: Int64, onEnd: @escaping (Int64) -> Void) {
    self.number = number
    self.onEnd = onEnd
  }

  deinit { onEnd(number) }

  /// A background span is over; whoever calls this has the stream pumped.
  package func add(span: Int64) { untold.append(span) }

  package func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    while let span = untold.first, outlet.hasRoom {
      JSONWriter.append(to: &outlet.output) {
        Reply(hold: number, spanId: span).write(to: &$0, continues: true)
      }
      untold.removeFirst()
    }
    return untold.isEmpty ? .waiting : .hasMore
  }

  package func tell(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState { untold.isEmpty ? .waiting : .hasMore }
}
