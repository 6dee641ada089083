import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Timers.js of Sources/Faces/quickshell in gjs, beside the real daemon. The program of the test
/// has the part of shell.qml: it connects two sockets, and connects them again when they end.
@Suite(.blocking) struct QuickshellTests {
  private static let folder = "\(Documentation.root)/Sources/Faces/quickshell"

  /// Prints the rows after each change. It reads lines: `words TEXT` has the daemon understand the
  /// text, `start` starts what was understood, and `press NAME LABEL` presses a button of a row.
  private static let program = #"""
    const {Gio, GLib} = imports.gi;
    imports.searchPath.unshift(ARGV[0]);
    const Timers = imports.Timers;
    const usec = () => GLib.get_real_time();

    // As a Socket of Quickshell with a SplitParser.
    function socket(path, connected, read, lost) {
      let link = null;
      const client = new Gio.SocketClient();
      client.connect_async(Gio.UnixSocketAddress.new(path), null, (_, result) => {
        try { link = client.connect_finish(result); } catch { return lost(); }
        const input = new Gio.DataInputStream({base_stream: link.get_input_stream()});
        const next = () => input.read_upto_async("\0", 1, 0, null, (_, result) => {
          try {
            const text = input.read_upto_finish(result)[0];
            input.read_byte(null);
            read(text);
            next();
          } catch { link = null; lost(); }
        });
        connected();
        next();
      });
      return {
        // The daemon may be gone already. The reader notices.
        write(text) {
          try { link.get_output_stream().write_all(new TextEncoder().encode(text), null); } catch {}
        },
        isConnected: () => link !== null,
        close() { if (link) link.close(null); },
      };
    }

    let known = Timers.empty(), start = null, watching, asking;
    const calls = Timers.calls(text => { if (asking.isConnected()) asking.write(text); return asking.isConnected(); });
    const show = () => print("rows " + Timers.rows(known, usec()).map(row => [row.name, row.step, row.time,
      row.counts ? "counts" : "", Timers.changes(row).map(change => change.label).join(",")].join("|")).join(" / "));
    const later = again => GLib.timeout_add(0, 20, () => { again(); return false; });
    function watch() {
      watching = socket(ARGV[1], () => {
        print("watch " + JSON.stringify(JSON.parse(Timers.watch(known).slice(0, -1)).parameters));
        watching.write(Timers.watch(known));
      }, text => {
        if (!Timers.apply(known, text, usec())) { known = Timers.empty(); watching.close(); }
        if (known.isComplete) show();
      }, () => { print("away"); later(watch); });
    }
    function ask() {
      asking = socket(ARGV[1], () => print("connected"), text => calls.answered(text), () => { calls.lost(); later(ask); });
    }
    watch();
    ask();
    const change = (method, parameters) =>
      calls.ask(method, parameters, (reply, mistake) => print("done " + method + " " + mistake));
    const orders = new Gio.DataInputStream({base_stream: new Gio.UnixInputStream({fd: 0})});
    const order = () => orders.read_line_async(0, null, (_, result) => {
      const line = orders.read_line_finish_utf8(result)[0], [word, ...rest] = line.split("\t");
      if (word === "words") calls.ask("Understand", {words: rest[0]}, (reply, mistake) => {
        start = reply ? reply.readings[0].start : null;
        print("understood " + (reply ? reply.readings[0].sentence : mistake));
      });
      if (word === "start") change("Start", start);
      if (word === "press") {
        const row = Timers.rows(known, usec()).find(row => row.name === rest[0]);
        const button = Timers.changes(row).find(change => change.label === rest[1]);
        change(button.method, button.parameters);
      }
      order();
    });
    order();
    imports.mainloop.run();
    """#

  private let rig: Rig
  private let daemon: DaemonProcess
  private let face: ChildProcess

  init() throws {
    rig = try Rig()
    try rig.configure("sound = false\nnotify = false\nring_for = \"1h\"")
    daemon = try rig.daemon()
    face = try rig.start(
      ["gjs", "-c", Self.program, Self.folder, daemon.options.socketPath],
      environment: ["PATH": "/usr/bin:/bin", "HOME": "\(rig.path)/home", "LANG": "C.UTF-8"],
      isFed: true, package: "gjs")
    try face.lines.next("both connections") { $0 == "connected" }
  }

  private func awaitRows(_ rows: String) throws {
    try face.lines.next(rows) { $0.replacing(/[0-9]+:[0-9:]+/, with: "T") == "rows \(rows)" }
  }

  @Test func `The example is short, and shows names as plain texts`() throws {
    let shell = try Documentation.text(of: "Sources/Faces/quickshell/shell.qml")
    #expect(shell.count { $0 == "\n" } <= 120)
    // All texts are made by this component.
    #expect(shell.matches(of: /\bText \{/).count == 1)
    #expect(shell.contains("component Label: Text {\n    textFormat: Text.PlainText\n"))
  }

  @Test func `A timer read at 1 s shows at 2 s how long it still runs, and its buttons`() throws {
    let all = "Pause,+1 min,Cancel"
    let timers = [
      (#""kind":"countdown","state":"running","deadline_usec":3599000001"#, "59:58 \(all)"),
      (#""kind":"countdown","state":"running","deadline_usec":3602000001"#, "01:00:01 \(all)"),
      (#""kind":"countdown","state":"running","away":true,"deadline_usec":9"#, "01:01 \(all)"),
      (#""kind":"countdown","state":"running","deadline_usec":1"#, "00:00 \(all)"),
      (#""kind":"countdown","state":"paused""#, "01:01 Resume,+1 min,Cancel"),
      (#""kind":"sequence","state":"waiting""#, "01:01 Next,Cancel"),
      (#""kind":"stopwatch","state":"running","elapsed_usec":5900000"#, "00:06 Pause,Cancel"),
      (#""kind":"stopwatch","state":"paused","elapsed_usec":5000000"#, "00:05 Resume,Cancel"),
      (#""kind":"countdown","state":"over","ringing":"snoozed""#, "snoozed Dismiss,5 min"),
    ]
    let program = #"""
      imports.searchPath.unshift(ARGV[0]);
      const Timers = imports.Timers;
      for (const fields of FIELDS) {
        const known = Timers.empty(), timer = {name: "tea", remaining_usec: 61000000, ...fields};
        Timers.apply(known, JSON.stringify({parameters: {timer}}), 1000000);
        const row = Timers.rows(known, 2000000)[0];
        print(row.time, Timers.changes(row).map(change => change.label).join(","));
        // A list that broke off is read anew.
        if (Timers.watch(known).includes("after") || Timers.rows(known, 2000000).length) print("stale");
      }
      """#
    let fields = "[" + timers.map { "{\($0.0)}" }.joined(separator: ",") + "]"
    let times = try rig.tool(
      ["gjs", "-c", program.replacing("FIELDS", with: fields), Self.folder], package: "gjs")
    #expect(times.split(separator: "\n").map(String.init) == timers.map(\.1))
  }

  @Test func `It starts by words, shows what runs and what rings, and its buttons answer`() throws {
    try face.feed("words\ttea 1h")
    try face.lines.next("the sentence") { $0.hasPrefix("understood tea: 1 h, rings ") }
    try face.feed("start")
    try awaitRows("tea||T|counts|Pause,+1 min,Cancel")
    try face.feed("words\talarm x 99:99")
    try face.lines.next("the mistake") { $0.hasPrefix("understood ") && $0.contains("99:99") }
    // A ring comes before what runs, and is answered.
    try daemon.connect().start("egg", usec: 10_000)
    try awaitRows("egg||ringing||Dismiss,5 min / tea||T|counts|Pause,+1 min,Cancel")
    try face.feed("press\tegg\tDismiss")
    try awaitRows("tea||T|counts|Pause,+1 min,Cancel")
    try face.feed("press\ttea\tPause")
    try awaitRows("tea||T||Resume,+1 min,Cancel")
    try face.feed("press\ttea\tCancel")
    try face.lines.next("the end") { $0 == "done Cancel " }
    // What a person did can be undone.
    _ = try daemon.connect().call(.undo(), deadline: .after(usec: 30 * second))
    try awaitRows("tea||T||Resume,+1 min,Cancel")
  }

  @Test func `After a crash it goes on with the last number, and nothing is stale`() throws {
    let client = try daemon.connect()
    for name in ["a", "<b>&amp;\u{202E}\"\\"] { try client.start(name, usec: hour) }
    let second = "<b>&amp;\u{202E}\"\\||T|counts|Pause,+1 min,Cancel"
    try awaitRows("a||T|counts|Pause,+1 min,Cancel / \(second)")
    let last = try daemon.status().storage
    try daemon.crash()
    try face.lines.next("the loss") { $0 == "away" }
    let next = try rig.daemon()
    try face.lines.next("the next call") {
      $0 == "watch {\"after\":\(last.lastSeq),\"ledger\":\"\(last.ledger)\"}"
    }
    try next.connect().start("c", usec: 2 * hour)
    try awaitRows(
      "a||T|counts|Pause,+1 min,Cancel / \(second) / c||T|counts|Pause,+1 min,Cancel")
    // A ledger that begins anew has none of them.
    try next.terminate()
    try FileManager.default.removeItem(atPath: next.options.stateFolder)
    let empty = try rig.daemon()
    try empty.connect().start("d", usec: hour)
    try awaitRows("d||T|counts|Pause,+1 min,Cancel")
  }
}
