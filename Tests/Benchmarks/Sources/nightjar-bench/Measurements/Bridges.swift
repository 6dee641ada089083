internal import Glibc
internal import NightjarClient
internal import NightjarSystem
internal import Varlink

/// Measures the machines of one person, which a real mosquitto on this machine connects: how much
/// later another machine shows a change, and how much memory a bridge uses.
struct Bridges {
  let setting: Setting

  /// The measurement of memory: how many machines the person has, and how many timers they have
  /// together.
  static let machines = 5
  static let fewTimers = 100
  static let manyTimers = 1_100

  func run() -> [Finding] { latency() + memory() }

  // MARK: - Latency

  /// Measures the time from the message to a watcher on one machine to the message to a watcher on
  /// another machine. Compares it with the time in which mosquitto delivers a message of the
  /// event's size.
  private func latency() -> [Finding] {
    let mosquitto = Mosquitto()
    let server = mosquitto.start()
    defer { server.end() }
    let one = BridgedMachine("one", broker: mosquitto.port, binaries: setting.binaries)
    let two = BridgedMachine("two", broker: mosquitto.port, binaries: setting.binaries)
    defer { [one.bridge, two.bridge, one.daemon, two.daemon].forEach { $0.end() } }
    one.start(["tea"])
    awaitTrue("two does not know one") { two.status.devices.first?.timers == 1 }
    let change = Change(from: one, to: two)
    let payload = eventPayload(change, mosquitto.port)
    let delivery = BrokerDelivery(port: mosquitto.port, payload: payload)

    var (ours, theirs): ([Histogram], [Histogram]) = ([], [])
    let published = one.status.sent
    var changes = 0
    for round in 0...setting.rounds {
      setting.say("a change on another machine, round \(round)")
      var (own, broker) = (Histogram(), Histogram())
      let end = Clock.nsec() + setting.roundMsec * 1_000_000
      while Clock.nsec() < end {
        let (waited, late) = change.make()
        own.add(late)
        // Wait as long as the first machine took, so that the processors are idle for the same time
        // before the broker's own message.
        poll(nil, 0, Int32(waited / 1_000_000))
        broker.add(delivery.make())
        changes += 1
      }
      // The first round is for warming up, and is not counted.
      if round > 0 {
        ours.append(own)
        theirs.append(broker)
      }
    }
    let sent = one.status.sent.messages - published.messages
    let findings = [0.5, 0.99].map { share in
      Finding(
        id: "bridge-p\(Int(share * 100))",
        work: "a change on another machine, p\(Int(share * 100))", unit: .nanoseconds,
        ours: ours.map { Double($0.quantile(share)) },
        peer: ("mosquitto alone", theirs.map { Double($0.quantile(share)) }),
        asked: .atMostTimes(3))
    }
    return findings + [
      Finding(
        id: "bridge-messages", work: "messages for each, of \(delivery.payload.count) B and more",
        unit: .count, ours: [Double(sent) / Double(max(1, changes))])
    ]
  }

  /// An event of the first machine as the broker delivers it.
  private func eventPayload(_ change: Change, _ port: Int) -> [UInt8] {
    let client = BrokerClient("bench-look", port: port)
    client.serve(until: "a connection") { client.isConnected }
    var payload: [UInt8]?
    client.onMessage = { _, bytes, _ in payload = bytes }
    client.subscribe("nightjar/alex/one/event", qos: 1, isOwnLeftOut: false)
    client.serve(until: "an event") {
      _ = change.make()
      return payload != nil
    }
    return payload ?? []
  }

  // MARK: - Memory

  private func memory() -> [Finding] {
    let mosquitto = Mosquitto()
    let server = mosquitto.start()
    defer { server.end() }
    setting.say("the memory of a bridge")
    let machines = (1...Self.machines).map { number in
      BridgedMachine("m\(number)", broker: mosquitto.port, binaries: setting.binaries)
    }
    defer { machines.flatMap { [$0.bridge, $0.daemon] }.forEach { $0.end() } }
    var bytes: [Double] = []
    var timers = 0
    for count in [0, Self.fewTimers, Self.manyTimers] {
      for machine in machines {
        machine.start((timers..<count).filter { $0 % 5 == 0 }.map { "bench/\($0)" })
      }
      timers = count
      awaitTrue("not every bridge has all \(count) timers") {
        machines.allSatisfy { machine in
          let status = machine.status
          return Int(status.timers + status.devices.map(\.timers).reduce(0, +)) == count
        }
      }
      // A bridge publishes its status two seconds after timers were started. Wait for that.
      poll(nil, 0, 2_500)
      bytes.append(Double(machines[0].bridge.privateBytes))
    }
    let each = (bytes[2] - bytes[1]) / Double(Self.manyTimers - Self.fewTimers)
    return [
      Finding(
        id: "bridge-memory-empty", work: "private memory of a bridge, 5 machines without timers",
        unit: .bytes, ours: [bytes[0]]),
      Finding(
        id: "bridge-memory", work: "private memory of a bridge, 100 timers on 5 machines",
        unit: .bytes, ours: [bytes[1]], asked: .atMost(8e6)),
      Finding(
        id: "bridge-memory-each", work: "private memory for each timer more", unit: .bytes,
        ours: [each], asked: .atMost(4_096)),
    ]
  }
}

/// Changes a timer on one machine, and measures when the other machine shows the change.
private final class Change {
  private let asker: VarlinkConnection
  private let (there, here): (Follower, Follower)
  private var isPaused = false

  init(from one: BridgedMachine, to two: BridgedMachine) {
    do { asker = try VarlinkConnection(path: one.nightjard.socketPath) } catch { fail("\(error)") }
    there = Follower(one.nightjard.socketPath, watches: "tea")
    here = Follower(two.socketPath(of: "one"), watches: "tea")
  }

  /// Pauses or resumes the timer.
  ///
  /// - Returns: how long the first machine took to show it, and how much later the other did, in
  ///   nanoseconds.
  func make() -> (thereNsec: Int64, laterNsec: Int64) {
    isPaused.toggle()
    asker.write("org.nightjar.Timers.\(isPaused ? "Pause" : "Resume")", ["name": "tea"])
    let (before, hereBefore) = (there.count, here.count)
    let begin = Clock.nsec()
    asker.flushAll()
    var (thereNsec, hereNsec): (Int64?, Int64?)
    while thereNsec == nil || hereNsec == nil {
      let found = Poll.wait(for: [there, here].map { ($0.descriptor, .readable) }, msec: 10_000)
      guard found != [[], []] else { fail("a change is not shown") }
      let now = Clock.nsec()
      if !found[0].isEmpty { there.read() }
      if !found[1].isEmpty { here.read() }
      if thereNsec == nil, there.count > before { thereNsec = now }
      if hereNsec == nil, here.count > hereBefore { hereNsec = now }
    }
    while asker.receive() { while asker.nextFrame() != nil {} }
    let shown = thereNsec ?? begin
    return (shown - begin, max(0, (hereNsec ?? shown) - shown))
  }
}

/// A message at QoS 1 from one client of the broker to another.
private final class BrokerDelivery {
  let payload: [UInt8]
  private let (from, to): (BrokerClient, BrokerClient)

  init(port: Int, payload: [UInt8]) {
    self.payload = payload
    from = BrokerClient("bench-from", port: port)
    to = BrokerClient("bench-to", port: port)
    for client in [from, to] { client.serve(until: "a connection") { client.isConnected } }
    to.subscribe("bench/delivery", qos: 1, isOwnLeftOut: true)
    // When a message arrives, the subscription is in effect.
    from.publish("bench/delivery", payload, isRetained: true)
    to.serve(until: "a message") { to.received.messages > 0 }
  }

  /// - Returns: the time from before a message was published until it was delivered, in
  ///   nanoseconds.
  func make() -> Int64 {
    let before = to.received.messages
    let begin = Clock.nsec()
    from.publish("bench/delivery", payload)
    to.serve(until: "a message") { to.received.messages > before }
    let nsec = Clock.nsec() - begin
    from.serve(until: "an acknowledgement") { from.unacknowledged == 0 }
    return nsec
  }
}
