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
  private func configure(_ lines: [String]) throws -> String {
    let path = "\(folder)/config-\(lines.joined().hashValue).toml"
    let table = ["[mqtt]", "broker = \"mqtts://localhost:8883\"", "person = \"alex\""]
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

  /// Why a bridge with these settings is not connected, after the name and without the folder, and
  /// the remedy, which the status and the doctor have, too.
  private func trouble(
    _ lines: [String], broker: String
  ) throws -> (said: String, remedy: String) {
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
    let said = try bridge.lines.next("a word about the broker", within: 90) {
      $0.contains("connected to")
    }.replacing("\(folder)/", with: "@/").replacing("nightjar-mqtt: ", with: "")
    guard said.hasPrefix("not ") else { return (said, "") }
    let environment = ["NIGHTJAR_SOCKET": "\(place)/socket", "HOME": "\(folder)/home"]
    let status = try rig.run([try Binaries.nightjar(), "mqtt", "status"], environment: environment)
      .output.split(separator: "\n").first { $0.hasPrefix("Remedy") }
    let remedy = String(status?.drop { $0 != " " }.drop { $0 == " " } ?? "")
    let doctor = try rig.run(
      [try Binaries.nightjar(), "doctor", "--json"], environment: environment
    ).output
    let isTold = doctor.contains("\(remedy), then systemctl --user restart nightjar-mqtt")
    #expect(!remedy.isEmpty && isTold, "\(doctor)")
    return (said, remedy.replacing(folder, with: "@"))
  }

  // Whether this machine receives the broker's alert before the connection is closed is random.
  private static let ended = "the broker ended the connection in the TLS handshake; "

  @Test func `The log, the status and the doctor have one remedy for each cause`() throws {
    try certificate("broker", for: "localhost")
    try certificate("old", for: "localhost", days: -1)
    try certificate("named", for: "elsewhere")
    try certificate("laptop", for: "alex")
    try certificate("stranger", for: "alex", by: "wrong")
    let ports = try (0..<7).map { _ in try FreePort.find() }
    try rig.tool(
      ["mosquitto_passwd", "-c", "-b", "\(folder)/users", "alex", "right"], package: "mosquitto")
    for word in ["wrong", "right"] {
      try "\(word)\n".write(toFile: "\(folder)/\(word)", atomically: true, encoding: .utf8)
      chmod("\(folder)/\(word)", 0o600)
    }
    func listener(_ index: Int, _ name: String? = nil, isOpen: Bool = true) -> [String] {
      ["listener \(ports[index]) 127.0.0.1", "allow_anonymous \(isOpen)"]
        + (name.map { ["certfile \(folder)/\($0).pem", "keyfile \(folder)/\($0).key"] } ?? [])
    }
    try startBroker(
      ["per_listener_settings true", "log_dest stderr", getuid() == 0 ? "user root" : ""]
        + listener(0, "broker") + listener(1, "named") + listener(2)
        + listener(3, isOpen: false) + ["password_file \(folder)/users"]
        + listener(5, "old") + listener(6, "broker")
        + ["cafile \(folder)/right.pem", "require_certificate true"])

    func tls(_ index: Int) -> String { "mqtts://localhost:\(ports[index])" }
    func plain(_ index: Int) -> String { "mqtt://localhost:\(ports[index])" }
    let authority = "ca = \"@/right.pem\""
    func pair(_ name: String) -> [String] {
      [authority, "certificate = \"@/\(name).pem\"", "key = \"@/\(name).key\""]
    }
    let user = "user = \"alex\""
    let signed = "the broker's certificate is not signed by an authority"
    let known =
      "give in 'user' and 'password_file' what the broker knows, or correct its list of users"
    // Each with the end of the line in the log, or with the beginning of the remedy.
    for (lines, broker, said, remedy) in [
      ([authority], tls(0), "connected to \(tls(0)) as alex/laptop", ""),
      (pair("laptop"), tls(6), "connected to \(tls(6)) as alex/laptop", ""),
      (
        [user, "password_file = \"@/right\""], plain(3), "connected to \(plain(3)) as alex/laptop",
        ""
      ),
      (
        ["ca = \"@/wrong.pem\""], tls(0), "\(signed) in @/wrong.pem; ",
        "give 'ca' a file with the certificate of its authority"
      ),
      (
        [], tls(0), "\(signed) that this machine trusts; ",
        "give the certificate of its authority as 'ca'"
      ),
      (
        [authority], tls(5), "the broker's certificate has expired by this machine's clock; ",
        "give the broker a new one"
      ),
      (
        [authority], tls(1), "the broker's certificate is for another name; ",
        "write in 'broker' the name that the certificate has"
      ),
      (
        [authority], tls(6), Self.ended,
        "perhaps it wants a certificate of this machine: give 'certificate' and 'key'"
      ),
      (
        pair("stranger"), tls(6),
        Self.ended,
        "perhaps it does not accept the certificate @/stranger.pem: it has to be signed by an "
      ),
      (
        [authority], tls(2), "the broker does not speak TLS there; ",
        "give the port with TLS, or write mqtt:// in place of mqtts:// in 'broker'"
      ),
      ([], plain(0), "", "if that port is for TLS, write mqtts:// in place of mqtt://; else "),
      ([], plain(3), "", known), ([user, "password_file = \"@/wrong\""], plain(3), "", known),
      ([], plain(4), "", "start the broker, or correct 'broker'"),
      ([], "unix:\(folder)/nosuch", "", "start the broker, or correct 'broker'"),
      (
        ["ca = \"@/gone.pem\""], tls(0), "'ca' names @/gone.pem, which cannot be ",
        "correct the path, or let the user who runs nightjar-mqtt read the file"
      ),
      (
        [user, "password_file = \"@/gone\""], plain(3), "",
        "put the password there, or correct the path"
      ),
    ] as [([String], String, String, String)] {
      let found = try trouble(lines, broker: broker)
      #expect(said.isEmpty || found.said.contains(said), "\(lines) \(broker): \(found.said)")
      #expect(found.remedy.hasPrefix(remedy), "\(lines) \(broker): \(found.remedy)")
    }
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
  }
}
