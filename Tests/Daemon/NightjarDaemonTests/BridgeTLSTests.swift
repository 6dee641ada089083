import Foundation
import Glibc
import NightjarTestSupport
import Testing

/// The bridge's errors for wrong TLS settings, with a real mosquitto and real certificates.
@Suite(.blocking) struct BridgeTLSTests {
  private let rig: Rig
  private let folder: String

  /// Certificates of two authorities: `right` signed the broker's and the machine's.
  init() throws {
    rig = try Rig()
    folder = rig.path
    for name in ["right", "wrong"] {
      try openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name) "
          + "-keyout \(folder)/\(name).key -out \(folder)/\(name).pem")
    }
    try "no certificate\n".write(toFile: "\(folder)/text.pem", atomically: true, encoding: .utf8)
  }

  private func openssl(_ arguments: String) throws {
    try rig.tool(["openssl"] + arguments.split(separator: " ").map(String.init), package: "openssl")
  }

  /// Makes a certificate and its key: `NAME.pem` and `NAME.key`.
  private func certificate(
    _ name: String, for subject: String, by authority: String = "right", days: Int = 2
  ) throws {
    try openssl(
      "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=\(subject) "
        + "-keyout \(folder)/\(name).key -out \(folder)/\(name).csr")
    try openssl(
      "x509 -req -in \(folder)/\(name).csr -CA \(folder)/\(authority).pem -CAkey "
        + "\(folder)/\(authority).key -CAcreateserial -days \(days) -out \(folder)/\(name).pem")
  }

  /// Writes a configuration; `@` stands for the folder of the certificates.
  private func configure(_ lines: [String], port: UInt16 = 8883) throws -> String {
    let path = "\(folder)/config-\(port)-\(lines.joined().hashValue).toml"
    let table = ["[mqtt]", "broker = \"mqtts://localhost:\(port)\"", "person = \"alex\""]
    try (table + ["device = \"laptop\""] + lines).joined(separator: "\n")
      .replacing("@", with: folder).write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func startBroker(_ lines: [String]) throws {
    let config = "\(folder)/mosquitto.conf"
    try lines.joined(separator: "\n").write(toFile: config, atomically: true, encoding: .utf8)
    let broker = try rig.start(["mosquitto", "-c", config], package: "mosquitto")
    try broker.lines.next("the broker's start") { $0.contains(" running") }
  }

  /// The first log line of a bridge about its connection, after the name and without the folder.
  private func said(_ lines: [String], port: UInt16 = 8883) throws -> String {
    let config = try configure(lines, port: port)
    let place = "\(config).d"
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let bridge = try rig.start(
      [try Binaries.program("nightjar-mqtt"), "--socket", "\(place)/socket", "--config", config],
      environment: ["HOME": "\(folder)/home"])
    defer { bridge.kill() }
    let line = try bridge.lines.next("a word about the broker", within: 90) {
      $0.contains("connected to")
    }
    return line.replacing("nightjar-mqtt: ", with: "").replacing("\(folder)/", with: "@/")
      .replacing("not connected to mqtts://localhost:\(port): ", with: "")
  }

  /// What the status of a bridge with these settings says against the trouble, and the doctor.
  private func remedy(_ lines: [String], broker: String) throws -> String {
    let place = "\(folder)/\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let table = ["[mqtt]", "broker = \"\(broker)\"", "person = \"alex\"", "device = \"laptop\""]
    try (table + lines).joined(separator: "\n").replacing("@", with: folder)
      .write(toFile: "\(place)/config.toml", atomically: true, encoding: .utf8)
    let bridge = try rig.start(
      [
        try Binaries.program("nightjar-mqtt"), "--socket", "\(place)/socket", "--config",
        "\(place)/config.toml",
      ], environment: ["HOME": "\(folder)/home"])
    defer { bridge.kill() }
    try bridge.lines.next("why it is not connected", within: 90) { $0.contains("not connected to") }
    let environment = ["NIGHTJAR_SOCKET": "\(place)/socket", "HOME": "\(folder)/home"]
    let status = try rig.run([try Binaries.nightjar(), "mqtt", "status"], environment: environment)
      .output.split(separator: "\n").first { $0.hasPrefix("Remedy") }
    let remedy = String(status?.drop { $0 != " " }.drop { $0 == " " } ?? "")
    let doctor = try rig.run(
      [try Binaries.nightjar(), "doctor", "--json"], environment: environment
    ).output
    let isTold = doctor.contains("\(remedy), then systemctl --user restart nightjar-mqtt")
    #expect(!remedy.isEmpty && isTold, "\(doctor)")
    return remedy.replacing(folder, with: "@")
  }

  @Test func `The status and the doctor have one remedy for each cause`() throws {
    try certificate("broker", for: "localhost")
    try certificate("named", for: "elsewhere")
    let ports = try (0..<5).map { _ in try FreePort.find() }
    try rig.tool(
      ["mosquitto_passwd", "-c", "-b", "\(folder)/users", "alex", "right"], package: "mosquitto")
    for (name, word) in [("wrong", "wrong"), ("right", "right")] {
      try "\(word)\n".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
      chmod("\(folder)/\(name)", 0o600)
    }
    func pair(_ name: String) -> [String] {
      ["certfile \(folder)/\(name).pem", "keyfile \(folder)/\(name).key"]
    }
    let lines =
      ["per_listener_settings true", "log_dest stderr", getuid() == 0 ? "user root" : ""]
      + ["listener \(ports[0]) 127.0.0.1"] + pair("broker") + ["allow_anonymous true"]
      + ["listener \(ports[1]) 127.0.0.1"] + pair("named") + ["allow_anonymous true"]
      + ["listener \(ports[2]) 127.0.0.1", "allow_anonymous true"]
      + ["listener \(ports[3]) 127.0.0.1", "allow_anonymous false"]
      + ["password_file \(folder)/users"]
    try startBroker(lines)

    let authority = "ca = \"@/right.pem\""
    func tls(_ index: Int) -> String { "mqtts://localhost:\(ports[index])" }
    func plain(_ index: Int) -> String { "mqtt://localhost:\(ports[index])" }
    #expect(
      try remedy(["ca = \"@/wrong.pem\""], broker: tls(0))
        == "give 'ca' a file with the certificate of its authority")
    #expect(
      try remedy([authority], broker: tls(1))
        == "write in 'broker' the name that the certificate has")
    #expect(
      try remedy([authority], broker: tls(2))
        == "give the port with TLS, or write mqtt:// in place of mqtts:// in 'broker'")
    #expect(
      try remedy([], broker: plain(0)).hasPrefix(
        "if that port is for TLS, write mqtts:// in place of mqtt://; else "))
    let password = "give in 'user' and 'password_file' what the broker knows, or correct its "
    for lines in [[], ["user = \"alex\"", "password_file = \"@/wrong\""]] {
      #expect(try remedy(lines, broker: plain(3)) == "\(password)list of users")
    }
    #expect(try remedy([], broker: plain(4)) == "start the broker, or correct 'broker'")
    #expect(
      try remedy([], broker: "unix:\(folder)/nosuch") == "start the broker, or correct 'broker'")
    #expect(
      try remedy(["ca = \"@/gone.pem\""], broker: tls(0))
        == "correct the path, or let the user who runs nightjar-mqtt read the file")
    #expect(
      try remedy(["user = \"alex\"", "password_file = \"@/gone\""], broker: plain(3))
        == "put the password there, or correct the path")
  }

  // MARK: - The files

  @Test func `The check of a configuration names each unusable file, and the remedy`() throws {
    try certificate("laptop", for: "alex")
    try certificate("old", for: "alex", days: -1)
    try openssl("ec -in \(folder)/laptop.key -aes128 -passout pass:x -out \(folder)/locked.key")
    for (name, mode) in [("secret", mode_t(0o600)), ("open", 0o644), ("empty", 0o600)] {
      try (name == "empty" ? "\n" : "right\n").write(
        toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
      chmod("\(folder)/\(name)", mode)
    }
    func check(_ lines: [String]) throws -> [String] {
      let (end, output) = try rig.run([
        try Binaries.program("nightjar-mqtt"), "--check-config", "--config", configure(lines),
      ])
      #expect(end == .exited(output.isEmpty ? 0 : 78), "\(lines)")
      return output.replacing("\(folder)/", with: "@/").split(separator: "\n").map(String.init)
    }
    func pair(_ certificate: String, _ key: String) -> [String] {
      ["certificate = \"@/\(certificate)\"", "key = \"@/\(key)\""]
    }
    let user = "user = \"alex\""
    let unread = "correct the path, or let the user who runs nightjar-mqtt read the file"
    let pem = "in which OpenSSL finds no certificate"

    let right = ["ca = \"@/right.pem\"", user, "password_file = \"@/secret\""]
    #expect(try check(right + pair("laptop.pem", "laptop.key")) == [])
    #expect(
      try check(["ca = \"@/gone.pem\""])
        == ["'ca' names @/gone.pem, which cannot be read: No such file or directory; \(unread)"])
    #expect(
      try check(["ca = \"@/.\""])
        == ["'ca' names @/., which cannot be read: it is no ordinary file; \(unread)"])
    // Each of several is reported.
    #expect(
      try check(["ca = \"@/text.pem\""] + pair("text.pem", "text.pem")) == [
        "'ca' names @/text.pem, \(pem) (no certificate or crl found); give one in PEM form, which "
          + "begins with -----BEGIN CERTIFICATE-----",
        "'certificate' names @/text.pem, \(pem) (no start line); give one in PEM form, which begins "
          + "with -----BEGIN CERTIFICATE-----",
        "'key' names @/text.pem, in which OpenSSL finds no key (unsupported); give one in PEM form, "
          + "which begins with -----BEGIN PRIVATE KEY-----",
      ])
    #expect(
      try check(pair("laptop.pem", "right.key")) == [
        "'key' names @/right.key, which does not belong to the certificate @/laptop.pem; give the "
          + "key for which that certificate was made"
      ])
    #expect(
      try check(pair("laptop.pem", "locked.key")) == [
        "'key' names @/locked.key, which has a passphrase, and nightjar-mqtt cannot ask for it; "
          + "write it without one: openssl pkey -in @/locked.key -out NEW"
      ])
    #expect(
      try check(pair("old.pem", "old.key")) == [
        "'certificate' names @/old.pem, which has expired by this machine's clock; get a new one"
      ])
    #expect(
      try check([user, "password_file = \"@/gone\""]) == [
        "'password_file' names @/gone, which cannot be read: No such file or directory; put the "
          + "password there, or correct the path"
      ])
    #expect(
      try check([user, "password_file = \"@/open\""])
        == ["'password_file' names @/open, which other users can read; run chmod 600 @/open"])
    #expect(
      try check([user, "password_file = \"@/empty\""]) == [
        "'password_file' names @/empty, which has no password in its first line; write it there"
      ])
    // The bridge reports the same before it connects.
    #expect(
      try said(pair("laptop.pem", "right.key")).hasPrefix(
        "'key' names @/right.key, which does not belong to the certificate @/laptop.pem; "))
    #expect(try said(["ca = \"@/gone.pem\""]).hasPrefix("'ca' names @/gone.pem, which cannot be "))
  }

  // MARK: - The handshake

  @Test func `For a failed TLS handshake, the bridge names the reason and the file`() throws {
    try certificate("broker", for: "localhost")
    try certificate("old", for: "localhost", days: -1)
    try certificate("named", for: "elsewhere")
    try certificate("laptop", for: "alex")
    try certificate("stranger", for: "alex", by: "wrong")
    let ports = try (0..<5).map { _ in try FreePort.find() }
    func listener(_ index: Int, _ name: String) -> [String] {
      [
        "listener \(ports[index]) 127.0.0.1", "certfile \(folder)/\(name).pem",
        "keyfile \(folder)/\(name).key",
      ]
    }
    let lines =
      ["allow_anonymous true", "log_dest stderr", getuid() == 0 ? "user root" : ""]
      + listener(0, "broker") + listener(1, "old") + listener(2, "named")
      + listener(3, "broker") + ["cafile \(folder)/right.pem", "require_certificate true"]
      + ["listener \(ports[4]) 127.0.0.1"]
    try startBroker(lines)

    let authority = "ca = \"@/right.pem\""
    func said(_ lines: [String], at index: Int) throws -> String {
      try self.said(lines, port: ports[index])
    }
    func connected(_ index: Int) -> String {
      "connected to mqtts://localhost:\(ports[index]) as alex/laptop"
    }
    #expect(try said([authority], at: 0) == connected(0))
    #expect(
      try said(["ca = \"@/wrong.pem\""], at: 0)
        == "the broker's certificate is not signed by an authority in @/wrong.pem; give 'ca' a file "
        + "with the certificate of its authority")
    #expect(
      try said([], at: 0)
        == "the broker's certificate is not signed by an authority that this machine trusts; give "
        + "the certificate of its authority as 'ca'")
    #expect(
      try said([authority], at: 1)
        == "the broker's certificate has expired by this machine's clock; give the broker a new one"
    )
    #expect(
      try said([authority], at: 2)
        == "the broker's certificate is for another name; write in 'broker' the name that the "
        + "certificate has")
    // Whether this machine receives the broker's alert before the connection is closed is random.
    let ended = "the broker ended the connection in the TLS handshake; perhaps it"
    #expect(
      try said([authority], at: 3)
        == "\(ended) wants a certificate of this machine: give 'certificate' and 'key'")
    func pair(_ name: String) -> [String] {
      [authority, "certificate = \"@/\(name).pem\"", "key = \"@/\(name).key\""]
    }
    #expect(
      try said(pair("stranger"), at: 3)
        == "\(ended) does not accept the certificate @/stranger.pem: it has to be signed by an "
        + "authority that the broker trusts")
    #expect(try said(pair("laptop"), at: 3) == connected(3))
    #expect(
      try said([authority], at: 4)
        == "the broker does not speak TLS there; give the port with TLS, or write mqtt:// in place "
        + "of mqtts:// in 'broker'")
  }
}
