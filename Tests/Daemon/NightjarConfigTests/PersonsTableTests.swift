import NightjarConfig
import Testing

/// The table of persons and groups at a broker.
@Suite struct PersonsTableTests {
  private func read(_ text: String) throws(ConfigError) -> PersonsTable {
    try PersonsTable(Array(text.utf8), path: "p.toml")
  }

  private func sentence(_ text: String) -> String? {
    do throws(ConfigError) {
      _ = try read(text)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `Persons are enough, and a prefix and groups can be given`() throws {
    let small = try read("persons = [\"alex\"]\n")
    #expect(small.prefix == "nightjar" && small.persons == ["alex"] && small.groups.isEmpty)
    let all = try read(
      """
      prefix = "home/nj"
      persons = ["alex", "kim", "Sam_1-x"]
      [groups]
      runners = ["kim", "alex"]
      empty = []
      """)
    #expect(all.prefix == "home/nj" && all.persons == ["alex", "kim", "Sam_1-x"])
    #expect(all.groups.map(\.name) == ["runners", "empty"])
    #expect(all.groups.map(\.members) == [["kim", "alex"], []])
  }

  /// Each of them would give rights to the topics of others, or inject a line.
  @Test(arguments: [
    "+", "#", "a/b", "", " alex", "alex ", "%u", "@runners", "a.b", "ä", "alex\\ntopic read #",
    "\\u212Aim", "aaaaaaaaabbbbbbbbbccccccccc123456",
  ])
  func `A person or a group that cannot be a level of a topic is refused with its position`(
    name: String
  ) throws {
    let person = try #require(sentence("prefix = \"x\"\npersons = [\n  \"kim\",\n  \"\(name)\"\n]"))
    #expect(
      person.hasPrefix(
        "p.toml, line 4: a person's name must be 1 to 32 letters a-z and A-Z, digits, _ and -, "
          + "not \""))
    let group = try #require(sentence("persons = [\"kim\"]\n[groups]\n\"\(name)\" = [\"kim\"]"))
    #expect(
      group.hasPrefix(
        "p.toml, line 3: a group's name must be 1 to 32 letters a-z and A-Z, digits, _ and -, "
          + "not \""))
    let member = try #require(sentence("persons = [\"kim\"]\n[groups]\na = [\"\(name)\"]"))
    #expect(member.hasPrefix("p.toml, line 3: a person's name must be 1 to 32 "))
  }

  @Test(arguments: [
    ("", "p.toml: there is no 'persons'; write persons = [\"alex\", \"kim\"]"),
    ("persons = []", "p.toml, line 1: 'persons' is empty; write the name of each person there"),
    (
      "persons = \"alex\"",
      "p.toml, line 1: 'persons' must be an array of names such as [\"alex\", \"kim\"], not a text"
    ),
    (
      "persons = [\"alex\", 1]",
      "p.toml, line 1: a person's name must be a text such as \"alex\", not a whole number"
    ),
    (
      "persons = [\"alex\",\n\"kim\",\n\"alex\"]",
      "p.toml, line 3: \"alex\" is twice in 'persons'; remove one of them"
    ),
    (
      "persons = [\"alex\"]\n[groups]\na = [\"alex\", \"alex\"]",
      "p.toml, line 3: \"alex\" is twice in 'a'; remove one of them"
    ),
    (
      "persons = [\"alex\"]\n[groups]\na = [\n\"alex\",\n\"alec\"]",
      "p.toml, line 5: \"alec\" of 'a' is not in 'persons'; did you mean \"alex\"?"
    ),
    (
      "persons = [\"alex\"]\n[groups]\na = [\"robin\"]",
      "p.toml, line 3: \"robin\" of 'a' is not in 'persons'; add the name there, or remove it here"
    ),
    (
      "persons = [\"alex\"]\ngroups = [\"a\"]",
      "p.toml, line 2: 'groups' must be a table, not an array"
    ),
    (
      "person = [\"alex\"]",
      "p.toml, line 1: a table of persons has no key 'person'; did you mean 'persons'?"
    ),
    (
      "persons = [\"alex\"]\nprefix = \" x\"",
      "p.toml, line 2: 'prefix' begins with a blank, which mosquitto would leave out; write it "
        + "without"
    ),
  ])
  func `A mistake in the table is one sentence with its line`(text: String, said: String) {
    #expect(sentence(text) == said)
  }

  @Test(arguments: ["$SYS", "a/+", "#", "", "a//b", "/a", "a/", "x\\ny"])
  func `A prefix with which no topic begins is refused`(prefix: String) throws {
    let said = try #require(sentence("persons = [\"alex\"]\nprefix = \"\(prefix)\""))
    #expect(said.hasPrefix("p.toml, line 2: 'prefix' must be a word such as \"nightjar\""))
  }

  @Test func `A file that is no TOML, no text or too long is refused`() throws {
    #expect(try #require(sentence("persons = [alex]")).hasPrefix("p.toml, line 1, column "))
    func read(_ bytes: [UInt8]) -> String? {
      do throws(ConfigError) {
        _ = try PersonsTable(bytes, path: "p.toml")
        return nil
      } catch {
        return error.description
      }
    }
    #expect(read(Array("# a\n".utf8) + [0xFF]) == "p.toml, line 2: this is no text in UTF-8")
    #expect(
      read(Array(repeating: UInt8(ascii: "#"), count: 1_048_577))
        == "p.toml: this is longer than a table of persons may be, 1 MiB")
  }
}
