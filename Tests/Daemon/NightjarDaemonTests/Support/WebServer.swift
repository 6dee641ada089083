import NightjarTestSupport

/// A web server of the test, which has as much of ntfy as Nightjar uses
/// (https://docs.ntfy.sh/publish/; /subscribe/api/, "raw").
final class WebServer {
  let address: String
  private let process: ChildProcess

  /// A line for each request: the method, the path, the headers that are shown, and the body.
  var requests: Happenings<String> { process.lines }

  init(of rig: Rig, showing headers: String...) throws {
    let port = try FreePort.find()
    address = "http://127.0.0.1:\(port)"
    process = try rig.start(
      ["/usr/bin/python3", "-c", Self.program, "\(port)"] + headers, package: "python3")
    try requests.next("the server") { $0 == "ready" }
  }

  private static let program = #"""
    import http.server, queue, sys, threading
    lines = {}
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            shown = [self.headers[name] for name in sys.argv[2:]]
            print("POST", self.path, *shown, body, flush=True)
            lines.setdefault(self.path, queue.Queue()).put(body)
            self.send_response(200); self.end_headers()
        def do_GET(self):
            self.send_response(200); self.end_headers()
            topic = lines.setdefault(self.path.removesuffix("/raw"), queue.Queue())
            self.wfile.write(b"\n"); self.wfile.flush()
            print("GET", self.path, flush=True)
            while True:
                self.wfile.write(topic.get().encode() + b"\n"); self.wfile.flush()
        def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("ready", flush=True)
    server.serve_forever()
    """#
}
