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

  /// What is wrong, without the path.
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
    "mqtt://u:p@a", "unix:run/m", "mqtt://[::1", "mqtt://[::1]x", "mqtt://a b",
  ])
  func `What is no broker is refused with the three forms`(text: String) {
    #expect(
      sentence("broker = \"\(text)\"\nperson = \"a\"")
        == "line 2: 'broker' is \"mqtt://HOST:PORT\", \"mqtts://HOST:PORT\" (with TLS) or \"unix:/PATH\""
    )
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
      "line 3: 'person' is 1 to 32 letters a-z and A-Z, digits, _ and -"
    ),
    (
      enough + "device = \"+\"", "line 4: 'device' is 1 to 32 letters a-z and A-Z, digits, _ and -"
    ),
    (
      enough + "prefix = \"a/#\"",
      "line 4: 'prefix' is the first levels of a topic without + and #, such as \"nightjar\""
    ),
    (enough + "ca = \"/x\"", "line 4: 'ca' is for TLS; write broker = \"mqtts://HOST\""),
    (secure + "ca = \"x\"", "line 4: 'ca' is a path from / or ~/, not \"x\""),
    (secure + "key = \"/x\"", "line 4: 'key' belongs to a certificate; give 'certificate', too"),
    (secure + "certificate = \"/x\"", "line 4: 'certificate' needs its key; give 'key', too"),
    (
      enough + "password_file = \"/x\"",
      "line 4: 'password_file' is the password of a user; give 'user', too"
    ),
    (
      enough + "user = \"u\"\npassword_credential = \"p\"",
      "line 5: there are no credentials; have the unit of nightjar-mqtt say LoadCredential=p:PATH, or "
        + "give 'password_file'"
    ),
    (enough + "keepalive = 2", "line 4: 'keepalive' is from 5 s to 100 years, not 2"),
    (enough + "keepalive = \"2h\"", "line 4: 'keepalive' is from 5 s to an hour"),
    (
      enough + "others = \"all\"",
      "line 4: 'others' is \"look\", \"change\" or \"start\", not \"all\""
    ),
    (enough + "perso = 1", "line 4: [mqtt] has no key 'perso'; did you mean 'person'?"),
    (enough + "password = \"x\"", "line 4: [mqtt] has no key 'password'"),
  ])
  func `A mistake is one sentence with its line and what would be right`(
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
