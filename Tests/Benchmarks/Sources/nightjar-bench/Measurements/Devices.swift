internal import Glibc
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Measures a thousand machines on one mosquitto: what they send and receive, and what that costs
/// the broker.
///
/// This process simulates all machines. Each machine counts what it sends and receives, and the
/// broker counts it, too.
struct Devices {
  let setting: Setting

  static let persons = 200
  static let devicesOfPerson = 5
  static let timersOfDevice = 10
  private static var count: Int { persons * devicesOfPerson }

  /// Messages and bytes that went in and out of the broker.
  struct Counts {
    /// The messages that the broker does not retain.
    var unretainedIn: Int
    var bytesIn: Int
    var out: Traffic

    static func - (one: Counts, other: Counts) -> Counts {
      Counts(
        unretainedIn: one.unretainedIn - other.unretainedIn, bytesIn: one.bytesIn - other.bytesIn,
        out: one.out - other.out)
    }
  }

  /// What was sent and received in a step, how much processor time the broker used for it, and how
  /// long the step took.
  private struct Step {
    /// All messages that were published.
    var messagesIn: Int
    var count: Counts
    /// The same as the broker counted it.
    var ofBroker: Counts
    /// All bytes of the connections, including those of acknowledgements and subscriptions.
    var wireBytes: Int
    var processorNsec: Int64
    var nsec: Int64
  }

  func run() -> [Finding] {
    let watch = RecordedWatch(timers: Self.timersOfDevice, setting: setting)
    OpenFiles.raise(to: Self.count + 100)
    let mosquitto = Mosquitto()
    let server = mosquitto.start()
    defer { server.end() }
    let fleet = Fleet(mosquitto: mosquitto, persons: Self.persons, devices: Self.devicesOfPerson)
    let (empty, retainedBefore) = (server.privateBytes, fleet.counters[.retained])

    let connect = step("connect", fleet, server) {
      for device in fleet.devices { fleet.connect(device) }
    }
    let connected = server.privateBytes
    let start = step("show their timers", fleet, server) {
      for device in fleet.devices { device.show(watch.snapshot) }
    }
    let filled = server.privateBytes
    var changes: [Step] = []
    for reply in watch.changes {
      changes.append(
        step("make a change", fleet, server) {
          for device in fleet.devices { device.change(reply) }
        })
    }
    var reconnects: [Step] = []
    for number in 0..<Self.devicesOfPerson {
      reconnects.append(
        step("reconnect, one of each person", fleet, server) {
          let ones = fleet.devices.filter { $0.address.device == "device-\(number)" }
          for device in ones { fleet.cut(device) }
          // The broker tells the other machines that these are offline.
          fleet.serve(forMsec: 200)
          for device in ones { fleet.connect(device) }
        })
    }
    let gaps = fleet.devices.map(\.gaps).reduce(0, +)
    let retained = fleet.counters[.retained] - retainedBefore
    let all = step("reconnect, all at once", fleet, server) {
      for device in fleet.devices { fleet.cut(device) }
      for device in fleet.devices { fleet.connect(device) }
    }
    guard fleet.devices.allSatisfy({ $0.mirror.devices.count == Self.devicesOfPerson - 1 }) else {
      fail("not every machine knows the others of its person")
    }
    return findings("connect", "connect, without timers", [connect], each: Self.count)
      + findings("start", "a timer more", [start], each: Self.count * Self.timersOfDevice)
      + findings("change", "a change", changes, each: Self.count * changes.count)
      + findings("reconnect", "reconnect, nothing new", reconnects, each: Self.count) + [
        Finding(
          id: "devices-gaps", work: "owners that would have been asked", unit: .count,
          ours: [Double(gaps)], asked: .atMost(0)),
        Finding(
          id: "devices-reconnect-all", work: "all \(Self.count) reconnect at once",
          unit: .nanoseconds, ours: [Double(all.nsec)]),
        Finding(
          id: "devices-retained", work: "retained messages of a machine", unit: .count,
          ours: [Double(retained) / Double(Self.count)]),
        Finding(
          id: "devices-memory-connection", work: "broker memory for a connection", unit: .bytes,
          ours: [Double(connected - empty) / Double(Self.count)]),
        Finding(
          id: "devices-memory-timer", work: "broker memory for a timer", unit: .bytes,
          ours: [Double(filled - connected) / Double(Self.count * Self.timersOfDevice)]),
        Finding(
          id: "devices-memory", work: "broker memory, all", unit: .bytes,
          ours: [Double(server.privateBytes)]),
      ]
  }

  /// Runs `body`, and waits until all its messages have been delivered.
  private func step(_ what: String, _ fleet: Fleet, _ server: Server, _ body: () -> Void) -> Step {
    setting.say("\(Self.count) machines \(what)")
    let (messages, count, ofBroker) = (fleet.messagesIn, fleet.count, fleet.ofBroker)
    let wireBytes = fleet.counters[.wireSent] + fleet.counters[.wireReceived]
    let (processorNsec, begin) = (server.processorNsec, Clock.nsec())
    body()
    fleet.settle()
    let nsec = fleet.lastNsec - begin
    // Publish the status, as a bridge does two seconds after a timer was started or removed.
    for device in fleet.devices where device.isStatusDue { device.publishStatus() }
    fleet.settle()
    let usedNsec = server.processorNsec - processorNsec
    fleet.awaitCounters()
    return Step(
      messagesIn: fleet.messagesIn - messages, count: fleet.count - count,
      ofBroker: fleet.ofBroker - ofBroker,
      wireBytes: fleet.counters[.wireSent] + fleet.counters[.wireReceived] - wireBytes,
      processorNsec: usedNsec, nsec: nsec)
  }

  private func findings(
    _ id: String, _ work: String, _ steps: [Step], each count: Int
  ) -> [Finding] {
    func each(_ value: (Step) -> Int) -> Double {
      Double(steps.map(value).reduce(0, +)) / Double(count)
    }
    func finding(
      _ id: String, _ words: String, _ unit: Finding.Unit, _ ours: (Step) -> Int,
      _ theirs: ((Step) -> Int)?
    ) -> Finding {
      Finding(
        id: "devices-\(id)", work: "\(work): \(words)", unit: unit, ours: [each(ours)],
        peer: theirs.map(each).flatMap { $0 > 0 ? ("by $SYS", [$0]) : nil })
    }
    return [
      finding("\(id)-in", "messages in", .count, { $0.messagesIn }, nil),
      finding(
        "\(id)-in-unkept", "messages in, not retained", .count, { $0.count.unretainedIn },
        { $0.ofBroker.unretainedIn }),
      finding(
        "\(id)-in-bytes", "bytes in", .bytes, { $0.count.bytesIn }, { $0.ofBroker.bytesIn }),
      finding(
        "\(id)-out", "messages out", .count, { $0.count.out.messages },
        { $0.ofBroker.out.messages }),
      finding(
        "\(id)-out-bytes", "bytes out", .bytes, { $0.count.out.bytes }, { $0.ofBroker.out.bytes }),
      finding("\(id)-wire", "bytes on the wire", .bytes, { $0.wireBytes }, nil),
      finding(
        "\(id)-cpu", "processor time of the broker", .nanoseconds, { Int($0.processorNsec) }, nil),
    ]
  }
}

/// The machines of many persons. One thread serves all of them.
private final class Fleet {
  /// A step counts as finished when no message has come or gone for this time, in nanoseconds.
  private static let quietNsec: Int64 = 200_000_000
  /// The longest duration of a step, in nanoseconds. The program ends if a step takes longer.
  private static let longestNsec: Int64 = 60_000_000_000

  let devices: [SimulatedDevice]
  let counters: BrokerCounters
  private let epoll: EpollSet
  private var isWatchedForWriting: [Bool]
  /// When the last message came or went.
  private(set) var lastNsec = Clock.nsec()

  init(mosquitto: Mosquitto, persons: Int, devices count: Int) {
    devices = (0..<persons * count).map { number in
      guard
        let address = DeviceAddress(
          person: "person-\(number / count)", device: "device-\(number % count)")
      else { fail("no name for a machine") }
      return SimulatedDevice(address, port: mosquitto.port)
    }
    isWatchedForWriting = Array(repeating: false, count: devices.count)
    counters = BrokerCounters(port: mosquitto.port)
    do {
      epoll = try EpollSet()
      try epoll.add(counters.client.descriptor, token: UInt64(devices.count))
    } catch { fail("\(error)") }
    awaitCounters()
  }

  var messagesIn: Int { devices.reduce(0) { $0 + $1.sent.messages } }

  /// The traffic as the machines count it.
  var count: Devices.Counts {
    Devices.Counts(
      unretainedIn: devices.reduce(0) { $0 + $1.sentUnretained },
      bytesIn: devices.reduce(0) { $0 + $1.sent.bytes },
      out: devices.reduce(Traffic()) { $0 + $1.received })
  }

  /// The traffic as the broker counts it.
  var ofBroker: Devices.Counts {
    Devices.Counts(
      unretainedIn: counters[.unretainedReceived], bytesIn: counters[.bytesReceived],
      out: Traffic(messages: counters[.messagesSent], bytes: counters[.bytesSent]))
  }

  private func index(of device: SimulatedDevice) -> Int {
    guard let index = devices.firstIndex(where: { $0 === device }) else { fail("no such machine") }
    return index
  }

  func connect(_ device: SimulatedDevice) {
    device.connect()
    let index = index(of: device)
    do {
      try epoll.add(device.client?.descriptor ?? -1, token: UInt64(index))
    } catch { fail("\(error)") }
    isWatchedForWriting[index] = false
    watchForWriting(index)
    // Serve the other machines in between.
    serve(forMsec: 0)
  }

  func cut(_ device: SimulatedDevice) {
    do {
      try epoll.remove(device.client?.descriptor ?? -1)
    } catch { fail("\(error)") }
    device.cut()
  }

  private func watchForWriting(_ index: Int) {
    guard let client = devices[index].client, client.wantsToWrite != isWatchedForWriting[index]
    else { return }
    isWatchedForWriting[index].toggle()
    do {
      try epoll.modify(
        client.descriptor, token: UInt64(index),
        isWatchedForWriting[index] ? [.readable, .writable] : .readable)
    } catch { fail("\(error)") }
  }

  /// Serves all machines for `msec`, at least once.
  func serve(forMsec msec: Int64) {
    let end = Clock.nsec() + msec * 1_000_000
    repeat { runIteration(waitsMsec: msec > 0 ? 10 : 0) } while Clock.nsec() < end
  }

  private func runIteration(waitsMsec: Int32) {
    var request = pollfd(fd: epoll.raw, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, waitsMsec) > 0 else { return }
    do {
      try epoll.wait(maximum: 256) { token, _ in
        let index = Int(token)
        guard index < devices.count else { return counters.client.serve() }
        devices[index].client?.serve()
        lastNsec = Clock.nsec()
        watchForWriting(index)
      }
    } catch { fail("\(error)") }
  }

  /// Serves all machines until each is connected and no message is on its way.
  func settle() {
    let begin = Clock.nsec()
    for index in devices.indices { watchForWriting(index) }
    repeat {
      guard Clock.nsec() - begin < Self.longestNsec else {
        fail("the machines did not finish a step within 60 s")
      }
      runIteration(waitsMsec: 10)
    } while Clock.nsec() - max(lastNsec, begin) < Self.quietNsec
      || !devices.allSatisfy { $0.isComplete && $0.isTaken }
  }

  /// Waits until the broker's counters include everything before this call. The next counters may
  /// have been under way already, so this waits for the second ones.
  func awaitCounters() {
    let (rounds, end) = (counters.rounds, Clock.nsec() + Self.longestNsec)
    while counters.rounds < rounds + 2 {
      guard Clock.nsec() < end else { fail("mosquitto did not publish its counters within 60 s") }
      runIteration(waitsMsec: 100)
    }
  }
}
