import NightjarInterface
import Testing

@Suite struct SocketPathTests {
  private static func socket(_ variables: [String: String], folders: Set<String> = []) -> String? {
    NightjarPaths.socket(
      environment: { variables[$0] }, uid: 1_000, directoryExists: folders.contains)
  }

  @Test
  func
    `The socket is where a variable says, else in the user's runtime folder, else with the state`()
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

  @Test
  func
    `A relative path in a variable of XDG's counts for nothing, and slashes at the end do not count`()
  {
    #expect(
      Self.socket(["XDG_RUNTIME_DIR": "r", "HOME": "/h/"]) == "/h/.local/state/nightjar/socket")
    #expect(Self.socket(["XDG_RUNTIME_DIR": "/r//"]) == "/r/nightjar/socket")
    #expect(Self.socket(["HOME": "/"]) == "/.local/state/nightjar/socket")
    #expect(Self.socket(["NIGHTJAR_SOCKET": "relative"]) == "relative")
    #expect(NightjarPaths.stateDirectory { ["XDG_STATE_HOME": "/s"][$0] } == "/s/nightjar")
    #expect(NightjarPaths.stateDirectory { _ in nil } == nil)
  }

  @Test
  func `The configuration is where XDG_CONFIG_HOME says, else under the home, else nowhere`() {
    func file(_ variables: [String: String]) -> String? {
      NightjarPaths.configFile { variables[$0] }
    }
    #expect(file(["XDG_CONFIG_HOME": "/c/", "HOME": "/h"]) == "/c/nightjar/config.toml")
    #expect(file(["XDG_CONFIG_HOME": "c", "HOME": "/h"]) == "/h/.config/nightjar/config.toml")
    #expect(file(["HOME": "/h"]) == "/h/.config/nightjar/config.toml")
    #expect(file([:]) == nil)
  }
}
