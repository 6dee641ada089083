import Testing
import VarlinkGenerator

@testable import nightjar_generate

/// The parts of manual pages that are made of an interface. OutputsTests compare the real pages.
@Suite struct ManualTests {
  private static let interface = """
    interface a.b

    # What a lamp does.
    type State (
      # It shines.
      on,
      # It does not; see lamp(1).
      off
    )

    # Switches a lamp, called name, or answers with NotThere.
    method Switch(name: string, state: ?State) -> ()

    # There is no such lamp.
    error NotThere (name: string)
    """

  private static func source(_ page: String) throws -> String {
    try ManualWriter(page: page).source(of: try Interface(parsing: interface))
  }

  @Test func `Sections get each declaration with its comment; the rest of the page stays`() throws {
    let page = ".Sh DESCRIPTION\nBy hand.\n.Sh METHODS\nold\n.Sh SEE ALSO\n"
    #expect(
      try Self.source(page) == """
        .Sh DESCRIPTION
        By hand.
        .Sh METHODS
        .Ss Switch
        .Bd -literal -offset indent
        method Switch(name: string, state: ?State) -> ()
        .Ed
        .Pp
        Switches a lamp, called name, or answers with
        .Cm NotThere .
        .Sh SEE ALSO

        """)
  }

  @Test func `A list that begins with the first word of an enumeration has all its words`() throws {
    let other = ".Bl -tag -width other\n.It Cm other\nBy hand.\n.El"
    #expect(
      try Self.source(".Sh STATES\n.Bl -tag -width off\n.It Cm on\nOld.\n.El\n\(other)")
        == ".Sh STATES\n.Bl -tag -width off\n.It Cm on\nIt shines.\n.It Cm off\n"
        + "It does not; see\n.Xr lamp 1 .\n.El\n\(other)")
    let error = #expect(throws: GeneratorError.self) { try Self.source(".Sh NAME\n") }
    #expect(error?.description == "the page has neither a section nor a list of the interface")
  }
}
