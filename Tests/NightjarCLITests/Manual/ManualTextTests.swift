import NightjarTestSupport
import Testing

@testable import nightjar

/// How pages are written, and what becomes of it.
@Suite struct ManualTextTests {
  private typealias Run = ManualText.Run

  @Test func `Marks make bold and italic, and names keep their lines`() {
    #expect(
      ManualText("`nightjar start` _NAME_, data_usec").runs == [
        Run(text: "nightjar start", font: .bold), Run(text: " ", font: .roman),
        Run(text: "NAME", font: .italic), Run(text: ", data_usec", font: .roman),
      ])
    #expect(
      ManualText("user/`_UID_`a").runs == [
        Run(text: "user/", font: .roman), Run(text: "_UID_", font: .bold),
        Run(text: "a", font: .roman),
      ])
  }

  @Test func `Options, pages, variables and commands need no marks`() {
    #expect(
      ManualText("(--late, see systemd.time(7)) NO_COLOR; nightjar lap counts").runs == [
        Run(text: "(", font: .roman), Run(text: "--late", font: .bold),
        Run(text: ", see ", font: .roman), Run(text: "systemd.time", font: .bold),
        Run(text: "(7)) ", font: .roman), Run(text: "NO_COLOR", font: .bold),
        Run(text: "; ", font: .roman), Run(text: "nightjar lap", font: .bold),
        Run(text: " counts", font: .roman),
      ])
    #expect(ManualText("nightjar has no dash -- / and/or").runs.map(\.font) == [.roman])
    #expect(ManualText("~/.config/a, $HOME/b").runs.map(\.font) == [.bold, .roman, .bold])
  }

  @Test func `Usage is told apart into what is typed and what stands for something`() {
    #expect(
      ManualText(usage: "[--loop N|forever]").runs == [
        Run(text: "[", font: .roman), Run(text: "--loop", font: .bold),
        Run(text: " ", font: .roman), Run(text: "N", font: .italic), Run(text: "|", font: .roman),
        Run(text: "forever", font: .bold), Run(text: "]", font: .roman),
      ])
    let (command, arguments) = ManualUsage.parts(
      "nightjar start [NAME] STEP=SPAN ... [--repeat [--rounds N]] [--a | --b]")
    #expect(command == "nightjar start")
    #expect(
      arguments == ["[NAME]", "STEP=SPAN ...", "[--repeat [--rounds N]]", "[--a | --b]"])
    #expect(ManualUsage.positional("nightjar extend NAME ... SPAN [--json]") == "NAME ... SPAN")
  }

  @Test func `Paragraphs, lists, examples and headings are told by how they are written`() {
    let text = """
      # SYNOPSIS
      nightjar start NAME

      # NOTES
      One.
      Two.
      ## More
      a  First
      b  Second

        $ nightjar list
        tea

        egg
      """
    #expect(
      ManualBlock.blocks(text) == [
        .section("SYNOPSIS"), .synopsis(["nightjar start NAME"]), .section("NOTES"),
        .paragraph(["One.", "Two."]), .subsection("More"),
        .list([.init("a", "First"), .init("b", "Second")], isCompact: true),
        .example(["$ nightjar list", "tea", "", "egg"]),
      ])
  }

  @Test func `Commands without words are an example, with words they are not`() {
    #expect(
      ManualBlock.blocks("nightjar list\nnightjar show tea") == [
        .example(["$ nightjar list", "$ nightjar show tea"])
      ])
    #expect(
      ManualBlock.blocks("nightjar list says what there is.") == [
        .paragraph(["nightjar list says what there is."])
      ])
  }

  @Test func `What is typed goes on as a shell has it, and has its answer behind it`() {
    let example = ManualBlock.example([
      "$ nightjar list \\", "    --json", "{}", "$ x='a", "b' |", "  cat", "$ cat <<'END'", "$ no",
      "END",
      "no",
    ])
    let commands = example.commands
    #expect(
      commands.map(\.typed) == [
        "nightjar list \\\n    --json", "x='a\nb' |\n  cat", "cat <<'END'\n$ no\nEND",
      ])
    #expect(commands.map(\.answer) == [["{}"], [], ["no"]])
  }

  @Test func `troff gets every character as itself`() {
    let page = ManualPage(
      "a", section: 7, summary: "b",
      """
      # NOTES
      .so it's ~ \\ ^ µ and `--x 'y' "z"`. Then. e.g. not.

        .TH 'x'
      """)
    #expect(
      page.text.split(separator: "\n").drop { $0 != ".SH NOTES" }.dropFirst() == [
        #"\&.so it's \(ti \e \(ha \[u00B5] and \fB\-\-x \(aqy\(aq \(dqz\(dq\fP."#,
        "Then. e.g. not.",
        ".PP", ".RS 4", ".EX", #"\&.TH \(aqx\(aq"#, ".EE", ".RE",
      ])
  }
}
