import NightjarEngine
internal import NightjarInterface
package import NightjarLedger
package import NightjarModel
package import NightjarParameters
package import Varlink

/// The result of a method, beside the reply that it has written to the exchange.
package enum Answer {
  /// The reply is complete. If the call changed something, the reply waits for the commit.
  case reply
  /// The reply is complete, and the call had a request id. The daemon writes the reply to disk
  /// together with the change.
  case answerToRequest
  /// The method has further replies, and this stream writes them.
  case stream(any ReplyStream)
}

/// A call with the reply that is written for it.
package struct Exchange {
  package let call: VarlinkCall
  package let now: Moment
  /// The client's pending output. The method appends its reply.
  package var writer = JSONWriter()

  fileprivate init(_ call: VarlinkCall, at now: Moment) {
    self.call = call
    self.now = now
  }
}

/// The methods of the two interfaces: they read or change the engine and write the reply. The
/// daemon uses them for its socket; the test double of NightjarTesting and `nightjar rehearse` use
/// the same ones.
package final class Methods {
  /// Parts of the daemon that the methods need beside the engine.
  package struct Dependencies {
    package var reader: any LedgerReading
    /// Returns the present state of the daemon.
    package var status: () -> StatusReport
    /// Begins a test that shows whether the user would notice a ring. Returns a stream with one
    /// reply.
    package var testRing: () -> any ReplyStream
    /// Begins to hold rings back for a client. Returns a stream; the hold lasts as long as the
    /// stream.
    package var holdRings: () -> any ReplyStream
    /// Releases the rings of a hold, so that they are shown and played; false: there is no hold
    /// with this number.
    package var releaseRings: (_ hold: Int64) -> Bool
    /// Reports an error when something could not be read for a client: `what` is its name.
    package var reportReadFailure: (_ what: String, _ error: StoreError) -> Void

    package init(
      reader: any LedgerReading, status: @escaping () -> StatusReport,
      testRing: @escaping () -> any ReplyStream,
      holdRings: @escaping () -> any ReplyStream, releaseRings: @escaping (_ hold: Int64) -> Bool,
      reportReadFailure: @escaping (_ what: String, _ error: StoreError) -> Void
    ) {
      self.reader = reader
      self.status = status
      self.testRing = testRing
      self.holdRings = holdRings
      self.releaseRings = releaseRings
      self.reportReadFailure = reportReadFailure
    }
  }

  /// The most slots that are scanned for one page or in one loop iteration, so that a long table
  /// does not delay other clients.
  package static let slotsAtOnce = 16_384

  let core: TimerCore
  let calendar: ZoneCalendar
  let dependencies: Dependencies?
  let defaults: () -> SpecDefaults
  /// Whether the last call that was answered had a request id. The reply to such a call must wait
  /// until all earlier changes are on disk, even if the call itself changed nothing.
  @exclusivity(unchecked) package private(set) var isAnswerToRequest = false
  /// The number of the oldest event in the ledger, as last read from disk. Used while the ledger
  /// cannot be read.
  var oldestSeq: Int64 = 0

  /// - Parameters:
  ///   - dependencies: parts of the daemon. If nil, a method that needs one of them replies with
  ///     MethodNotImplemented.
  ///   - defaults: returns the policies for timers that are started without a policy, as they are
  ///     configured at that moment.
  package init(
    core: TimerCore, calendar: ZoneCalendar, dependencies: Dependencies?,
    defaults: @escaping () -> SpecDefaults
  ) {
    self.core = core
    self.calendar = calendar
    self.dependencies = dependencies
    self.defaults = defaults
  }

  var engine: Engine { core.engine }

  /// Answers one call: appends its reply or error to the output of `outlet`. A oneway call gets no
  /// reply.
  ///
  /// - Returns: the stream that writes the replies, if the method has a stream of replies;
  ///   otherwise nil.
  package func answer(
    _ call: VarlinkCall, to outlet: Outlet, at now: Moment
  ) -> (any ReplyStream)? {
    let stream = answer(call, to: &outlet.output, at: now)
    return call.oneway ? nil : stream
  }

  /// Answers a call of a caller that has no connection. The method must not reply with a stream.
  ///
  /// - Parameter frame: the call without its final NUL.
  /// - Returns: the reply or error, without its final NUL.
  package func answer(
    _ frame: UnsafeRawBufferPointer, at now: Moment
  ) throws(VarlinkProtocolError) -> [UInt8] {
    var output: [UInt8] = []
    let stream = answer(try VarlinkCall.parse(frame), to: &output, at: now)
    precondition(stream == nil, "a stream needs a connection")
    return Array(output.dropLast())
  }

  private func answer(
    _ call: VarlinkCall, to output: inout [UInt8], at now: Moment
  ) -> (any ReplyStream)? {
    let end = output.count
    isAnswerToRequest = false
    var exchange = Exchange(call, at: now)
    var stream: (any ReplyStream)?
    swap(&exchange.writer.bytes, &output)
    do throws(TimersError) {
      switch try carryOut(&exchange) {
      case .reply: break
      case .answerToRequest: isAnswerToRequest = true
      case .stream(let found): stream = found
      }
    } catch {
      exchange.writer.bytes.removeSubrange(end...)
      error.write(to: &exchange.writer)
    }
    swap(&exchange.writer.bytes, &output)
    if call.oneway { output.removeSubrange(end...) }
    return stream
  }

  private func carryOut(_ exchange: inout Exchange) throws(TimersError) -> Answer {
    let call = exchange.call
    if call.upgrade { throw .varlink(.methodNotImplemented(method: call.method.string)) }
    if let method = call.method(in: Self.interfaceName),
      let answer = try perform(method, call.parameterBytes, &exchange)
    {
      return answer
    }
    do throws(VarlinkError) {
      try ServiceInterface.answer(
        call, Self.info, [(TimersInterface.name, TimersInterface.description)],
        to: &exchange.writer)
    } catch {
      throw .varlink(error)
    }
    return .reply
  }

  private static let info = ServiceInterface.GetInfo.Reply(
    vendor: "Nightjar", product: "nightjard", version: NightjarVersion.current,
    url: "man:nightjard(1)")
}

extension Exchange {
  mutating func reply(_ reply: some WireStructure) { writer.reply(reply) }

  /// Writes a reply with the timer in a slot, in its present state.
  mutating func reply(_ slot: Int, of engine: Engine) {
    reply(Wire.Get.Reply(timer: Wire.Timer(slot, of: engine, at: now)))
  }
}
