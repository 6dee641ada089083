import NightjarInterface
import Testing

@Suite struct SocketPathTests {
  private static func socket(_ variables: [String: String], folders: Set<String> = []) -> String? {
    NightjarPaths.socket(
      environment: { variables[$0] }, uid: 1_000, directoryExists: folders.contains)
  }

  @Test
  func
    `The socket is where a variable says, or in the user's runtime folder, or in the state folder`()
  {
    let usual: Set = ["/run/user/1000"]
    let all = [
      "NIGHTJAR_SOCKET": "/a/b", "XDG_RUNTIME_DIR": "/r", "XDG_STATE_HOME": "/s", "HOME": "/h",
    ]
    #expect(Self.socket(all, folders: usual) == "/a/b")
    var some = all
    some["NIGHTJAR_SOCKET"] = ""
    #expect(Self.socket(some, folders: usual) == "/r/nightjar/socket")
    some["XDG_RUNTIME_DIR"] = nil
    #expect(Self.socket(some, folders: usual) == "/run/user/1000/nightjar/socket")
    #expect(Self.socket(some) == "/s/nightjar/socket")
    some["XDG_STATE_HOME"] = nil
    #expect(Self.socket(some) == "/h/.local/state/nightjar/socket")
    some["HOME"] = nil
    #expect(Self.socket(some) == nil)
  }

  @Test func `A relative path in an XDG variable is ignored, and so are slashes at the end`() {
    #expect(
      Self.socket(["XDG_RUNTIME_DIR": "r", "HOME": "/h/"]) == "/h/.local/state/nightjar/socket")
    #expect(Self.socket(["XDG_RUNTIME_DIR": "/r//"]) == "/r/nightjar/socket")
    #expect(Self.socket(["HOME": "/"]) == "/.local/state/nightjar/socket")
    #expect(Self.socket(["NIGHTJAR_SOCKET": "relative"]) == "relative")
    #expect(NightjarPaths.stateDirectory { ["XDG_STATE_HOME": "/s"][$0] } == "/s/nightjar")
    #expect(NightjarPaths.stateDirectory { _ in nil } == nil)
  }

  @Test
  func `The configuration is where XDG_CONFIG_HOME says, or below the home folder, or nowhere`() {
    func file(_ variables: [String: String]) -> String? {
      NightjarPaths.configFile { variables[$0] }
    }
    #expect(file(["XDG_CONFIG_HOME": "/c/", "HOME": "/h"]) == "/c/nightjar/config.toml")
    #expect(file(["XDG_CONFIG_HOME": "c", "HOME": "/h"]) == "/h/.config/nightjar/config.toml")
    #expect(file(["HOME": "/h"]) == "/h/.config/nightjar/config.toml")
    #expect(file([:]) == nil)
  }
}
