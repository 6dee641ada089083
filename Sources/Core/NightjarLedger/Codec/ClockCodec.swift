public import NightjarEngine
import NightjarModel

/// Packs the state of the wall clock: `version, flags, readings, reboots, undecided spans, answered
/// rings, CRC-32`.
public enum ClockCodec {
  /// The packed state. O(reboots), at most 16.
  public static func encode(_ clock: WallClockState) -> [UInt8] {
    var writer = ByteWriter(reserving: 64)
    writer.byte(Frame.version)
    let hasUndecided = !clock.undecided.isEmpty
    let hasAnswered = !clock.answered.isEmpty
    // If the user was never away, the form is the same as in earlier versions.
    let hasPresent = clock.undecided.contains { $0.enteredPresentUsec != $0.entered.awakeUsec }
    writer.byte(
      (clock.hasBeenSynchronized ? 1 : 0) | (clock.isRight ? 2 : 0) | (hasUndecided ? 4 : 0)
        | (hasAnswered ? 8 : 0) | (hasPresent ? 16 : 0))
    writer.reading(clock.last)
    writer.reading(clock.base)
    writer.optional(clock.inDoubtSinceUsec)
    writer.natural(clock.reboots.count)
    for reboot in clock.reboots { writer.reboot(reboot) }
    if hasUndecided {
      writer.natural(clock.undecided.count)
      for span in clock.undecided {
        writer.undecided(span)
        if hasPresent { writer.signed(span.enteredPresentUsec) }
      }
    }
    if hasAnswered {
      writer.natural(clock.answered.count)
      for answered in clock.answered { writer.answered(answered) }
    }
    return Frame.withChecksum(writer)
  }

  /// Unpacks the result of `encode`.
  public static func decode(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> WallClockState {
    var reader = try Frame.open(bytes)
    var clock = WallClockState()
    let flags = try reader.byte()
    guard flags <= 31 else { throw .damaged("the clock has flags that are unknown") }
    clock.hasBeenSynchronized = flags & 1 != 0
    clock.isRight = flags & 2 != 0
    clock.last = try reader.reading()
    clock.base = try reader.reading()
    clock.inDoubtSinceUsec = try reader.optional()
    for _ in 0..<(try reader.natural(upTo: WallClockState.mostReboots)) {
      clock.reboots.append(try reader.reboot())
    }
    if flags & 4 != 0 {
      for _ in 0..<(try reader.natural(upTo: WallClockState.mostReboots)) {
        var span = try reader.undecided()
        if flags & 16 != 0 { span.enteredPresentUsec = try reader.signed() }
        clock.undecided.append(span)
      }
    }
    if flags & 8 != 0 {
      for _ in 0..<(try reader.natural(upTo: AnsweredRing.most)) {
        clock.answered.append(try reader.answered())
      }
    }
    guard reader.isAtEnd else { throw .damaged("the clock has more than its reboots") }
    return clock
  }
}

extension ByteWriter {
  fileprivate mutating func optional(_ value: Int64?) {
    byte(value == nil ? 0 : 1)
    if let value { signed(value) }
  }

  fileprivate mutating func reading(_ reading: SynchronizedReading?) {
    optional(reading?.realtimeUsec)
    guard let reading else { return }
    signed(reading.elapsedUsec)
    natural(reading.steppedUsec)
  }

  fileprivate mutating func reboot(_ reboot: UncertainReboot) {
    span(reboot.span)
    natural(reboot.leftSeq)
    natural(reboot.lastLeftSeq)
    signed(reboot.leftElapsedUsec)
    signed(reboot.wallUsec)
    signed(reboot.uptimeUsec)
    signed(reboot.advancedUsec)
    signed(reboot.surplusUsec)
    byte(reboot.isPlausible ? 1 : 0)
  }

  fileprivate mutating func undecided(_ span: UndecidedSpan) {
    natural(span.id)
    natural(span.elapsedUsec)
    natural(span.enteredSeq)
    signed(span.entered.elapsedUsec)
    signed(span.entered.awakeUsec)
  }

  fileprivate mutating func answered(_ answered: AnsweredRing) {
    let ring = answered.ring
    natural(ring.rangSeq)
    natural(ring.setSeq)
    byte((ring.isOnWall ? 1 : 0) | (ring.interruption == nil ? 0 : 2))
    if let interruption = ring.interruption {
      natural(interruption.pausedSeq)
      natural(interruption.resumedSeq)
    }
    signed(ring.lateUsec)
    natural(answered.answeredSeq)
  }
}

extension ByteReader {
  fileprivate mutating func optional() throws(StoreError) -> Int64? {
    try byte() == 0 ? nil : try signed()
  }

  fileprivate mutating func reading() throws(StoreError) -> SynchronizedReading? {
    guard let realtimeUsec = try optional() else { return nil }
    return SynchronizedReading(
      realtimeUsec: realtimeUsec, elapsedUsec: try signed(), steppedUsec: try natural())
  }

  fileprivate mutating func reboot() throws(StoreError) -> UncertainReboot {
    let span = try span()
    let (leftSeq, lastLeftSeq) = (try natural(), try natural())
    let leftElapsedUsec = try signed()
    var reboot = UncertainReboot(
      span: span, leftElapsedUsec: leftElapsedUsec, wallUsec: try signed(),
      uptimeUsec: try signed())
    reboot.leftSeq = leftSeq
    reboot.lastLeftSeq = lastLeftSeq
    reboot.advancedUsec = try signed()
    reboot.surplusUsec = try signed()
    reboot.isPlausible = try byte() != 0
    return reboot
  }

  fileprivate mutating func undecided() throws(StoreError) -> UndecidedSpan {
    let (id, elapsedUsec, enteredSeq) = (try natural(), try natural(), try natural())
    let entered = Counters(elapsedUsec: try signed(), awakeUsec: try signed())
    return UndecidedSpan(
      id: id, elapsedUsec: elapsedUsec, enteredSeq: enteredSeq, entered: entered,
      enteredPresentUsec: entered.awakeUsec)
  }

  fileprivate mutating func answered() throws(StoreError) -> AnsweredRing {
    let (rangSeq, setSeq) = (try natural(), try natural())
    let flags = try byte()
    var interruption: Interruption?
    if flags & 2 != 0 {
      interruption = Interruption(pausedSeq: try natural(), resumedSeq: try natural())
    }
    let ring = EstimatedRing(
      rangSeq: rangSeq, setSeq: setSeq, interruption: interruption, isOnWall: flags & 1 != 0,
      lateUsec: try signed())
    return AnsweredRing(ring, answeredSeq: try natural())
  }
}
