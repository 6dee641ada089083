import NightjarTestSupport
import Testing
import Varlink

/// Clients that continue by number while one daemon replaces another.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct UpgradeTests {
  private let host: Host
  private let unit = "nightjar.service"

  init() throws {
    host = try Host()
    try host.user(
      """
      systemctl --user start \(unit)
      nightjar start tea 1h && nightjar start egg 2h
      """)
    try host.user("cat >client.py <<'PYTHON'\n\(Self.client)\nPYTHON")
    try host.user("cat >load.py <<'PYTHON'\n\(Self.load)\nPYTHON")
  }

  /// A client that prints a line for each reply and for each connection. When a connection ends, it
  /// asks again with the last number.
  private static let client = #"""
    import json, os, socket, sys
    method, after = sys.argv[1], None
    path = os.environ["XDG_RUNTIME_DIR"] + "/nightjar/socket"
    while True:
        client = socket.socket(socket.AF_UNIX)
        client.connect(path)
        parameters = {"after": 0 if method == "Events" else None} if after is None else {"after": after}
        call = {"method": "org.nightjar.Timers." + method, "parameters": parameters, "more": True}
        client.sendall(json.dumps(call).encode() + b"\0")
        print("connected", flush=True)
        received = b""
        while True:
            try:
                chunk = client.recv(65536)
            except ConnectionResetError:
                chunk = b""
            if not chunk:
                break
            *frames, received = (received + chunk).split(b"\0")
            for frame in frames:
                reply = json.loads(frame)
                assert "error" not in reply, reply
                reply = reply["parameters"]
                event = reply.get("event")
                if event:
                    after = event["seq"]
                    print("event", event["seq"], event["type"], flush=True)
                elif reply.get("synced"):
                    after = reply["seq"]
                    print("synced", flush=True)
                elif method == "Watch" and after is None:
                    print("timer", reply["timer"]["name"], flush=True)
        # An incomplete message does not count, and is sent again.
        print("ended", flush=True)
    """#

  /// A client that makes changes all the time, whichever daemon is there; slow enough that a
  /// watcher in Python has no changes folded.
  private static let load = #"""
    import os, socket, time
    call = b'{"method":"org.nightjar.Timers.Extend","parameters":{"name":"egg","by_usec":1000}}\0'
    while True:
        try:
            client = socket.socket(socket.AF_UNIX)
            client.connect(os.environ["XDG_RUNTIME_DIR"] + "/nightjar/socket")
            while True:
                client.sendall(call * 4)
                if not client.recv(65536):
                    break
                time.sleep(0.002)
        except OSError:
            pass
    """#

  /// A client of each method, and the number of the last event before that of `Watch`.
  private struct Clients {
    let events: ChildProcess
    let watch: ChildProcess
    let first: Int64
  }

  private func follow() throws -> Clients {
    func client(_ method: String) throws -> ChildProcess {
      try host.userStart("exec python3 /home/tester/client.py \(method)")
    }
    let (events, watch) = (try client("Events"), try client("Watch"))
    try watch.lines.next("what there is") { $0 == "synced" }
    return Clients(events: events, watch: watch, first: try lastSeq())
  }

  /// Expects that each client has got all events, once and in order.
  private func expectAll(_ clients: Clients) throws {
    let last = try lastSeq()
    for (client, first) in [(clients.events, Int64(1)), (clients.watch, clients.first + 1)] {
      try awaitEvent(last, by: client)
      let numbers = client.lines.all.filter { $0.hasPrefix("event ") }
        .compactMap { Int64($0.split(separator: " ")[1]) }
      let received = [first - 1] + numbers + [last + 1]
      let faults = zip(received, received.dropFirst()).filter { $1 != $0 + 1 }
      #expect(faults.isEmpty, "\(faults)")
    }
  }

  private func awaitEvent(_ seq: Int64, by client: ChildProcess) throws {
    // The event may be the one awaited before: a daemon that has just started has no other yet.
    if client.lines.all.contains(where: { $0.hasPrefix("event \(seq) ") }) { return }
    try client.lines.next("event \(seq)", within: 60) { $0.hasPrefix("event \(seq) ") }
  }

  private func lastSeq() throws -> Int64 {
    try #require(try host.status()["storage"]?["last_seq"]?.integerValue)
  }

  @Test(arguments: ["systemctl --user restart nightjar.service", "kill -SEGV", "kill -KILL"])
  func `Watch and Events continue by number; no event is missed or comes twice`(how: String) throws
  {
    let clients = try follow()
    try awaitEvent(clients.first, by: clients.events)
    for round in 1...3 {
      try host.user("nightjar pause tea; nightjar resume tea; nightjar extend egg \(round)min")
      try awaitEvent(try lastSeq(), by: clients.events)
      let pid = try host.mainPid()
      try host.user(how.hasPrefix("kill") ? "\(how) \(pid)" : how)
      try host.awaitNewDaemon(than: pid)
      // The first event that it gets is the span in which no daemon ran.
      try host.user("nightjar pause egg; nightjar resume egg")
    }
    try expectAll(clients)
    for client in [clients.events, clients.watch] {
      #expect(client.lines.all.filter { $0 == "ended" }.count == 3)
    }
    #expect(try host.status()["counts"]?["watchers"]?.integerValue == 2)
  }

  @Test func `After kills at any moment under load, each event is delivered exactly once`() throws {
    let clients = try follow()
    let load = try host.userStart("exec python3 /home/tester/load.py")
    for _ in 0..<30 {
      let pid = try host.mainPid()
      try awaitEvent(try lastSeq(), by: clients.events)
      try host.user("kill -KILL \(pid)")
      try host.awaitNewDaemon(than: pid)
    }
    try host.user("pkill -f load.py")
    try load.awaitEnd()
    try host.user("nightjar extend tea 1min")
    try expectAll(clients)
  }
}
