import Foundation
import Glibc
import NightjarTestSupport
import Testing

/// The bridge's errors for wrong settings, most of them for TLS, with a real mosquitto and real
/// certificates.
@Suite(.blocking) struct BridgeTLSTests {
  private static let password = "Kaiserschmarrn"

  private let rig: Rig
  private let folder: String

  init() throws {
    rig = try Rig()
    folder = rig.path
  }

  private func openssl(_ arguments: String) throws {
    try rig.tool(
      ["openssl"] + arguments.replacing("@", with: folder).split(separator: " ").map(String.init),
      package: "openssl")
  }

  /// Makes a certificate and its key: `NAME.pem` and `NAME.key`.
  private func certificate(
    _ name: String, for subject: String, by authority: String = "right", days: Int = 2
  ) throws {
    try openssl(
      "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=\(subject) "
        + "-keyout @/\(name).key -out @/\(name).csr")
    try openssl(
      "x509 -req -in @/\(name).csr -CA @/\(authority).pem -CAkey @/\(authority).key "
        + "-CAcreateserial -days \(days) -out @/\(name).pem")
  }

  /// Makes the certificates of two authorities, of which `right` signed most others, and files with
  /// passwords.
  private func makeFiles() throws {
    for name in ["right", "wrong"] {
      try openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name) "
          + "-keyout @/\(name).key -out @/\(name).pem")
    }
    try certificate("broker", for: "localhost")
    try certificate("old", for: "localhost", days: -1)
    try certificate("named", for: "elsewhere")
    try certificate("laptop", for: "alex")
    try certificate("stranger", for: "alex", by: "wrong")
    try openssl("ec -in @/laptop.key -aes128 -passout pass:x -out @/locked.key")
    try writeFile("no certificate\n", to: "\(folder)/text.pem")
    for (name, text) in [("secret", Self.password), ("false", "wrong"), ("empty", "")] {
      try writeFile("\(text)\n", to: "\(folder)/\(name)", mode: 0o600)
    }
    try writeFile("\(Self.password)\n", to: "\(folder)/open")
  }

  /// Writes a configuration into a new folder.
  ///
  /// - Parameter words: settings such as `ca=right.pem`, whose files are among those of the test.
  private func configure(_ words: [String], broker: String) throws -> String {
    let place = "\(folder)/\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let lines = words.map { word in
      let parts = word.split(separator: "=")
      return parts.count == 2 ? "\(parts[0]) = \"\(folder)/\(parts[1])\"" : "user = \"alex\""
    }
    let table = ["[mqtt]", "broker = \"\(broker)\"", "person = \"alex\"", "device = \"laptop\""]
    try writeFile((table + lines).joined(separator: "\n"), to: "\(place)/config.toml")
    return place
  }

  private func start(_ arguments: String...) throws -> ChildProcess {
    try rig.start(
      [try Binaries.program("nightjar-mqtt")] + arguments,
      environment: ["HOME": "\(folder)/home"])
  }

  /// What a bridge with these settings logs about its connection, after its name, and the remedy
  /// that the status and the doctor have against a trouble.
  private func trouble(_ words: [String], broker: String) throws -> (said: String, remedy: String) {
    let place = try configure(words, broker: broker)
    let socket = "\(place)/socket"
    let bridge = try start("--socket", socket, "--config", "\(place)/config.toml")
    defer { bridge.kill() }
    let said = try bridge.lines.next("a word about the broker", within: 90) {
      $0.contains("connected to")
    }.replacing("\(folder)/", with: "@/").replacing("nightjar-mqtt: ", with: "")
    #expect(!bridge.output.contains(Self.password), "the password is in no log")
    guard said.hasPrefix("not ") else { return (said, "") }
    func nightjar(_ arguments: String...) throws -> String {
      try rig.run(
        [try Binaries.nightjar()] + arguments,
        environment: ["NIGHTJAR_SOCKET": socket, "HOME": "\(folder)/home"]
      ).output
    }
    let row = try nightjar("mqtt", "status").split(separator: "\n").first { $0.hasPrefix("Remedy") }
    let remedy = String(row?.drop { $0 != " " }.drop { $0 == " " } ?? "")
    let doctor = try nightjar("doctor", "--json")
    let isTold = doctor.contains("\(remedy), then systemctl --user restart nightjar-mqtt")
    #expect(!remedy.isEmpty && isTold, "\(doctor)")
    return (said, remedy.replacing(folder, with: "@"))
  }

  // MARK: - The connection

  /// Settings, the broker's URL with the name of a listener, the reason and the remedy.
  // Whether this machine receives the broker's alert before the connection is closed is random.
  private static let troubles = Row.table(
    #"""
    ca=wrong.pem => mqtts signed => the broker's certificate is not signed by an authority in \#
    @/wrong.pem => give 'ca' a file with the certificate of its authority
     => mqtts signed => the broker's certificate is not signed by an authority that this machine \#
    trusts => give the certificate of its authority as 'ca'
    ca=right.pem => mqtts old => the broker's certificate has expired by this machine's clock => \#
    give the broker a new one
    ca=right.pem => mqtts named => the broker's certificate is for another name => write in \#
    'broker' the name that the certificate has
    ca=right.pem => mqtts mutual => the broker ended the connection in the TLS handshake => \#
    perhaps it wants a certificate of this machine: give 'certificate' and 'key'
    ca=right.pem certificate=stranger.pem key=stranger.key => mqtts mutual => the broker ended \#
    the connection in the TLS handshake => perhaps it does not accept the certificate \#
    @/stranger.pem: it has to be signed by an authority that the broker trusts
    ca=right.pem => mqtts plain => the broker does not speak TLS there => give the port with \#
    TLS, or write mqtt:// in place of mqtts:// in 'broker'
     => mqtt signed => the broker does not answer in MQTT 5 => if that port is for TLS, write \#
    mqtts:// in place of mqtt://; else 'broker' has to name an MQTT 5 broker, whose log may say more
    ca=right.pem => mqtts closed => the broker refuses: Not authorized => give in 'user' and \#
    'password_file' what the broker knows, or correct its list of users
    ca=right.pem user password_file=false => mqtts closed => the broker refuses: Not authorized \#
    => give in 'user' and 'password_file' what the broker knows, or correct its list of users
     => mqtt none => Connection refused => start the broker, or correct 'broker'
     => unix => No such file or directory => start the broker, or correct 'broker'
    ca=gone.pem => mqtts signed => 'ca' names @/gone.pem, which cannot be read: No such file or \#
    directory => correct the path, or let the user who runs nightjar-mqtt read the file
    user password_file=gone => mqtt plain => 'password_file' names @/gone, which cannot be read: \#
    No such file or directory => put the password there, or correct the path
    """#)

  @Test func `Log, status and doctor have one reason and remedy for each cause`() throws {
    try makeFiles()
    try rig.tool(
      ["mosquitto_passwd", "-c", "-b", "\(folder)/users", "alex", Self.password],
      package: "mosquitto")
    var ports = ["none": try FreePort.find()]
    func listener(_ name: String, certificate: String? = nil, _ more: String...) throws -> [String]
    {
      let port = try FreePort.find()
      ports[name] = port
      let files = certificate.map { ["certfile @/\($0).pem", "keyfile @/\($0).key"] } ?? []
      return ["listener \(port) 127.0.0.1"] + files
        + (more.isEmpty || name == "mutual" ? ["allow_anonymous true"] : []) + more
    }
    var lines = ["per_listener_settings true", "log_dest stderr", "log_type all"]
    if getuid() == 0 { lines.append("user root") }
    lines += try listener("plain")
    lines += try listener("signed", certificate: "broker")
    lines += try listener("named", certificate: "named")
    lines += try listener("old", certificate: "old")
    lines += try listener("closed", certificate: "broker", "password_file @/users")
    lines += try listener(
      "mutual", certificate: "broker", "cafile @/right.pem", "require_certificate true")
    let config = "\(folder)/mosquitto.conf"
    try writeFile(lines.joined(separator: "\n").replacing("@", with: folder), to: config)
    let broker = try rig.start(["mosquitto", "-c", config], package: "mosquitto")
    try broker.lines.next("the broker's start") { $0.contains(" running") }
    func url(_ words: [String]) -> String {
      words.count == 2
        ? "\(words[0])://localhost:\(ports[words[1]] ?? 0)" : "unix:\(folder)/nosuch"
    }

    for (words, listener) in [
      ("ca=right.pem", "signed"), ("ca=right.pem user password_file=secret", "closed"),
      ("ca=right.pem certificate=laptop.pem key=laptop.key", "mutual"),
    ] {
      let broker = url(["mqtts", listener])
      let found = try trouble(words.split(separator: " ").map(String.init), broker: broker)
      #expect(found.said == "connected to \(broker) as alex/laptop", "\(words)")
    }
    for row in Self.troubles {
      let broker = url(row.words(1))
      let found = try trouble(row.words(), broker: broker)
      let shown = broker.replacing("\(folder)/", with: "@/")
      #expect(found.said == "not connected to \(shown): \(row[2]); \(row[3])", "\(row)")
      #expect(found.remedy == row[3], "\(row)")
    }
    #expect(!broker.output.contains(Self.password), "the password is in no log")
  }

  // MARK: - The configuration

  /// Settings, and the problem of each file.
  private static let problems = Row.table(
    #"""
    ca=gone.pem => 'ca' names @/gone.pem, which cannot be read: No such file or directory; \#
    correct the path, or let the user who runs nightjar-mqtt read the file
    ca=. => 'ca' names @/., which cannot be read: it is no ordinary file; correct the path, or \#
    let the user who runs nightjar-mqtt read the file
    ca=text.pem certificate=text.pem key=text.pem => 'ca' names @/text.pem, in which OpenSSL \#
    finds no certificate (no certificate or crl found); give one in PEM form, which begins with \#
    -----BEGIN CERTIFICATE----- => 'certificate' names @/text.pem, in which OpenSSL finds no \#
    certificate (no start line); give one in PEM form, which begins with -----BEGIN \#
    CERTIFICATE----- => 'key' names @/text.pem, in which OpenSSL finds no key (unsupported); \#
    give one in PEM form, which begins with -----BEGIN PRIVATE KEY-----
    certificate=laptop.pem key=right.key => 'key' names @/right.key, which does not belong to \#
    the certificate @/laptop.pem; give the key for which that certificate was made
    certificate=laptop.pem key=locked.key => 'key' names @/locked.key, which has a passphrase, \#
    and nightjar-mqtt cannot ask for it; write it without one: openssl pkey -in @/locked.key -out NEW
    certificate=old.pem key=old.key => 'certificate' names @/old.pem, which has expired by this \#
    machine's clock; get a new one
    user password_file=gone => 'password_file' names @/gone, which cannot be read: No such file \#
    or directory; put the password there, or correct the path
    user password_file=open => 'password_file' names @/open, which other users can read; run \#
    chmod 600 @/open
    user password_file=empty => 'password_file' names @/empty, which has no password in its \#
    first line; write it there
    """#)

  @Test func `The check of a configuration names each unusable file, and the remedy`() throws {
    try makeFiles()
    func check(_ words: [String]) throws -> [String] {
      let place = try configure(words, broker: "mqtts://localhost:8883")
      let bridge = try start("--check-config", "--config", "\(place)/config.toml")
      let (end, output) = (try bridge.awaitEnd(within: 60), bridge.output)
      #expect(end == .exited(output.isEmpty ? 0 : 78), "\(words)")
      return output.replacing("\(folder)/", with: "@/").split(separator: "\n").map(String.init)
    }
    let right = "ca=right.pem user password_file=secret certificate=laptop.pem key=laptop.key"
    #expect(try check(right.split(separator: " ").map(String.init)) == [])
    for row in Self.problems {
      let found = try check(row.words())
      #expect(([row[0]] + found).joined(separator: " => ") == row.description)
    }
  }

  @Test(arguments: [
    ("[mqtt]", "[mqtt] has no 'broker' and no 'person'; write both, as in nightjar-mqtt(1)"),
    ("[mqtt]\nbroker = 1", "'broker' must be a text"),
  ])
  func `A wrong configuration gets one sentence, and systemd does not restart the bridge`(
    text: String, sentence: String
  ) throws {
    let config = "\(folder)/c.toml"
    try writeFile(text, to: config)
    for bridge in [
      try start("--socket", "\(folder)/socket", "--config", config),
      try start("--check-config", "--config", config),
    ] {
      #expect(try bridge.awaitEnd(within: 60) == .exited(78))
      let lines = bridge.lines.all
      #expect(lines.count == 1 && lines[0].contains(sentence), "\(lines)")
    }
  }
}
