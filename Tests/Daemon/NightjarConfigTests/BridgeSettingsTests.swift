import NightjarConfig
import NightjarModel
import Testing

/// The table `[mqtt]`.
@Suite struct BridgeSettingsTests {
  private func read(
    _ text: String, host: String = "laptop.example.org", credentials: String? = nil
  ) throws(ConfigError) -> BridgeSettings? {
    try BridgeSettings.read(
      try ConfigFile(path: "/c.toml", bytes: Array(text.utf8)), hostName: host,
      credentials: credentials)
  }

  /// The mistake, without the path.
  private func sentence(_ text: String, credentials: String? = nil) -> String? {
    do throws(ConfigError) {
      _ = try read("[mqtt]\n\(text)", credentials: credentials)
      return nil
    } catch {
      return String(error.description.dropFirst("/c.toml, ".count))
    }
  }

  @Test func `A broker and a person are enough, and the machine has its own name`() throws {
    let settings = try #require(
      try read("[mqtt]\nbroker = \"mqtt://broker.lan\"\nperson = \"alex\"\n"))
    #expect(settings.broker == .tcp(host: "broker.lan", port: 1883))
    #expect(settings.address == DeviceAddress(person: "alex", device: "laptop"))
    #expect(settings.prefix == "nightjar" && settings.keepaliveSeconds == 30)
    #expect(settings.others == .change)
    #expect(try read("") == nil)
    #expect(try read("[daemon]\n") == nil)
  }

  @Test func `Every key is read`() throws {
    let settings = try #require(
      try read(
        """
        [mqtt]
        broker = "mqtts://broker.lan:8884"
        person = "alex"
        device = "desk-2"
        prefix = "home/nj"
        ca = "/etc/ca.pem"
        certificate = "/etc/c.pem"
        key = "/etc/k.pem"
        user = "u"
        password_file = "/etc/p"
        keepalive = "1min"
        others = "start"
        """))
    #expect(settings.broker == .tls(host: "broker.lan", port: 8884))
    #expect(settings.address.device == "desk-2" && settings.prefix == "home/nj")
    #expect(settings.authorityPath == "/etc/ca.pem")
    #expect(settings.certificatePath == "/etc/c.pem" && settings.keyPath == "/etc/k.pem")
    #expect(settings.user == "u" && settings.passwordPath == "/etc/p")
    #expect(settings.keepaliveSeconds == 60 && settings.others == .start)
  }

  @Test(arguments: [
    ("mqtt://a", BridgeSettings.Broker.tcp(host: "a", port: 1883)),
    ("mqtt://a/", .tcp(host: "a", port: 1883)),
    ("mqtt://10.0.0.1:99", .tcp(host: "10.0.0.1", port: 99)),
    ("mqtts://a", .tls(host: "a", port: 8883)), ("mqtt://[::1]:5", .tcp(host: "::1", port: 5)),
    ("mqtts://[fe80::1]", .tls(host: "fe80::1", port: 8883)),
    ("unix:/run/m", .unix(path: "/run/m")),
  ])
  func `A broker is named by a URL or the path of a socket`(
    text: String, broker: BridgeSettings.Broker
  ) throws {
    let settings = try #require(try read("[mqtt]\nbroker = \"\(text)\"\nperson = \"a\"\n"))
    #expect(settings.broker == broker)
    #expect(try read("[mqtt]\nbroker = \"\(broker)\"\nperson = \"a\"\n") == settings)
  }

  @Test(arguments: [
    "", "broker", "http://a", "mqtt://", "mqtt://a:0", "mqtt://a:65536", "mqtt://a:x", "mqtt://a/b",
    "unix:run/m", "mqtt://[::1", "mqtt://[::1]x", "mqtt://a b",
  ])
  func `An invalid broker is refused, with the three valid forms`(text: String) {
    #expect(
      sentence("broker = \"\(text)\"\nperson = \"a\"")
        == "line 2: 'broker' must be \"mqtt://HOST:PORT\", \"mqtts://HOST:PORT\" (with TLS) or "
        + "\"unix:/PATH\", not \"\(text)\"")
  }

  @Test func `A password in the broker is refused, and not printed`() {
    #expect(
      sentence("broker = \"mqtt://u:secret@a\"\nperson = \"a\"")
        == "line 2: give the user and the password in 'user' and 'password_file', not in 'broker'")
  }

  @Test(arguments: [
    "", "/", "/a", "a/", "a//b", "//", "a/#", "+/a", "a+", "$a", "$SYS/a", "a/b\\u0007",
  ])
  func `A text with which our topics cannot begin is refused as a prefix`(text: String) throws {
    let found = try #require(sentence(Self.enough + "prefix = \"\(text)\""))
    let visible = text.replacing("\\u0007", with: "\u{7}")
    #expect(
      found == "line 4: 'prefix' must be a word such as \"nightjar\", or several such as "
        + "\"home/nightjar\", without + and # and without $ in front, not \"\(visible)\"")
  }

  @Test(arguments: ["a", "a/b", "a/b/c", "a$", "ä b"])
  func `One word or several are a prefix`(text: String) throws {
    #expect(try read("[mqtt]\n\(Self.enough)prefix = \"\(text)\"")?.prefix == text)
  }

  private static let enough = "broker = \"mqtt://a\"\nperson = \"alex\"\n"
  private static let secure = "broker = \"mqtts://a\"\nperson = \"alex\"\n"

  @Test(arguments: [
    ("person = \"alex\"", "line 2: [mqtt] has no 'broker'; write broker = \"mqtt://HOST\""),
    (
      "broker = \"mqtt://a\"",
      "line 2: [mqtt] has no 'person'; give all your machines the same, such as person = \"alex\""
    ),
    (
      "broker = \"mqtt://a\"\nperson = \"al ex\"",
      "line 3: 'person' must be 1 to 32 letters a-z and A-Z, digits, _ and -, not \"al ex\""
    ),
    (
      enough + "device = \"+\"",
      "line 4: 'device' must be 1 to 32 letters a-z and A-Z, digits, _ and -, not \"+\""
    ),
    (
      enough + "device = \"ring\"",
      "line 4: 'device' cannot be \"ring\", which is the topic of all rings; give the machine another "
        + "name"
    ),
    (
      enough + "ca = \"/x\"",
      "line 4: 'ca' is only for TLS; write broker = \"mqtts://HOST\", or leave out 'ca'"
    ),
    (secure + "ca = \"x\"", "line 4: 'ca' must be a path from / or ~/, not \"x\""),
    (
      secure + "key = \"/x\"",
      "line 4: there is a 'key' and no 'certificate'; give both, or neither"
    ),
    (
      secure + "certificate = \"/x\"",
      "line 4: there is a 'certificate' and no 'key'; give both, or neither"
    ),
    (
      enough + "password_file = \"/x\"",
      "line 4: there is 'password_file' and no 'user'; give both, or neither"
    ),
    (
      enough + "user = \"u\"\npassword_credential = \"p\"",
      "line 5: 'password_credential' names a credential of systemd, and systemd passed none; write "
        + "LoadCredential=p:PATH in the unit of nightjar-mqtt, or give 'password_file'"
    ),
    (
      enough + "user = \"u\"\npassword_file = \"/x\"\npassword_credential = \"p\"",
      "line 6: there are 'password_file' and 'password_credential'; leave out one of them"
    ),
    (enough + "keepalive = 2", "line 4: 'keepalive' must be from 5 s to 1 h, not 2 s"),
    (enough + "keepalive = -1", "line 4: 'keepalive' must be from 5 s to 1 h, not -1 s"),
    (enough + "keepalive = \"2h\"", "line 4: 'keepalive' must be from 5 s to 1 h, not 2 h"),
    (
      enough + "others = \"all\"",
      "line 4: 'others' must be \"look\", \"change\" or \"start\", not \"all\""
    ),
    (enough + "perso = 1", "line 4: [mqtt] has no key 'perso'; did you mean 'person'?"),
    (enough + "password = \"x\"", "line 4: [mqtt] has no key 'password'"),
  ])
  func `A mistake is one sentence with its line and its correction`(
    text: String, expected: String
  ) throws {
    let found = try #require(sentence(text))
    #expect(found.hasPrefix(expected), "\(found)")
  }

  @Test func `A password can be a credential of systemd`() throws {
    let text = "[mqtt]\n\(Self.enough)user = \"u\"\npassword_credential = \"p\"\n"
    #expect(try read(text, credentials: "/run/c")?.passwordPath == "/run/c/p")
    let path = "\(Self.enough)user = \"u\"\npassword_credential = \"../p\""
    #expect(
      sentence(path, credentials: "/run/c")
        == "line 5: 'password_credential' is the name of a credential, not a path")
  }

  @Test func `A machine whose name cannot be a device must be given one`() {
    #expect(throws: ConfigError.self) { try read("[mqtt]\n\(Self.enough)", host: "größe") }
    #expect(throws: ConfigError.self) { try read("[mqtt]\n\(Self.enough)", host: "") }
  }
}
