import NightjarMirror

/// A broker that keeps only the order of each topic: it delivers topics in any order, delivers
/// messages twice, and loses retained messages.
struct SimulatedBroker {
  /// The messages on their way to one client.
  private struct Client {
    /// In the order of each topic.
    var queues: [String: [Delivery]] = [:]
    /// The number of retained messages that must arrive before the marker.
    var retainedToCome = 0
    var marker: Delivery?
  }

  private(set) var retained: [String: Delivery] = [:]
  private var clients: [Int: Client] = [:]

  /// A client subscribes to everything, and then publishes its marker.
  mutating func connect(_ client: Int, marker: Topic) {
    var new = Client(marker: Delivery(marker, [], isRetained: false))
    for (topic, delivery) in retained { new.queues[topic] = [delivery] }
    new.retainedToCome = retained.count
    clients[client] = new
  }

  /// The messages on their way to the client are lost.
  mutating func disconnect(_ client: Int) { clients[client] = nil }

  func isConnected(_ client: Int) -> Bool { clients[client] != nil }

  /// Receives a message, from a client or as the will of one that is gone.
  mutating func publish(_ publication: Delivery, from sender: Int) {
    let topic = publication.topic.text(prefix: "n")
    if publication.isRetained {
      retained[topic] =
        publication.payload.isEmpty
        ? nil : Delivery(publication.topic, publication.payload, isRetained: true)
    }
    for client in clients.keys where client != sender {
      clients[client]?.queues[topic, default: []].append(
        Delivery(publication.topic, publication.payload, isRetained: false))
    }
  }

  /// Whether a message is on its way to a client.
  func hasMessages(for client: Int) -> Bool {
    clients[client].map { !$0.queues.isEmpty || $0.marker != nil } ?? false
  }

  /// The next message of a random topic, and how often it is delivered.
  mutating func next(
    for client: Int, using generator: inout some RandomNumberGenerator
  ) -> (delivery: Delivery, times: Int)? {
    guard var state = clients[client] else { return nil }
    defer { clients[client] = state }
    let topics = state.queues.keys.sorted()
    guard let topic = topics.randomElement(using: &generator) else {
      defer { state.marker = nil }
      return state.marker.map { ($0, 1) }
    }
    // The marker comes after the retained messages, and anywhere among the later ones.
    if state.retainedToCome == 0, let marker = state.marker, Bool.random(using: &generator) {
      state.marker = nil
      return (marker, 1)
    }
    guard var queue = state.queues[topic], !queue.isEmpty else { return nil }
    let delivery = queue.removeFirst()
    state.queues[topic] = queue.isEmpty ? nil : queue
    if delivery.isRetained { state.retainedToCome -= 1 }
    return (delivery, Int.random(in: 0..<10, using: &generator) == 0 ? 2 : 1)
  }

  mutating func dropRetained(using generator: inout some RandomNumberGenerator) {
    guard let topic = retained.keys.sorted().randomElement(using: &generator) else { return }
    retained[topic] = nil
  }

  /// Restarts with the retained messages of some earlier time; all connections are lost.
  mutating func restart(with retained: [String: Delivery]) {
    self.retained = retained
    clients = [:]
  }
}
