import Testing
import VarlinkGenerator

@testable import nightjar_generate

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

    # A lamp. name: what it is called, as in its switch_id.
    type Lamp (name: string, switch_id: ?int)

    # Switches a lamp, or answers with NotThere.
    method Switch(name: string, state: ?State) -> (lamp: Lamp)

    # There is no such lamp.
    error NotThere (name: string)
    """

  private static func source(_ page: String) throws -> String {
    try ManualWriter(page: page).source(of: try Interface(parsing: interface))
  }

  @Test func `Sections get each declaration with its comment; the rest of the page stays`() throws {
    let page = """
      .Sh DESCRIPTION
      By hand.
      .Sh METHODS
      old
      .Sh TYPES
      .Sh ERROR REPLIES
      .Sh SEE ALSO

      """
    #expect(
      try Self.source(page) == """
        .Sh DESCRIPTION
        By hand.
        .Sh METHODS
        .Ss Switch
        .Bd -literal -offset indent
        method Switch(name: string, state: ?State) -> (lamp: Lamp)
        .Ed
        .Pp
        Switches a lamp, or answers with
        .Cm NotThere .
        .Sh TYPES
        .Ss State
        .Bd -literal -offset indent
        type State (
          # It shines.
          on,
          # It does not; see lamp(1).
          off
        )
        .Ed
        .Pp
        What a lamp does.
        .Ss Lamp
        .Bd -literal -offset indent
        type Lamp (name: string, switch_id: ?int)
        .Ed
        .Pp
        A lamp.
        .Cm name :
        what it is called, as in its
        .Cm switch_id .
        .Sh ERROR REPLIES
        .Ss NotThere
        .Bd -literal -offset indent
        error NotThere (name: string)
        .Ed
        .Pp
        There is no such lamp.
        .Sh SEE ALSO

        """)
  }

  @Test func `A list that begins with the first word of an enumeration has all its words`() throws {
    let page = """
      .Sh STATES
      .Bl -tag -width off
      .It Cm on
      Old.
      .El
      .Bl -tag -width other
      .It Cm other
      By hand.
      .El
      """
    #expect(
      try Self.source(page) == """
        .Sh STATES
        .Bl -tag -width off
        .It Cm on
        It shines.
        .It Cm off
        It does not; see
        .Xr lamp 1 .
        .El
        .Bl -tag -width other
        .It Cm other
        By hand.
        .El
        """)
  }

  @Test func `A page without a place for the interface is refused`() {
    let error = #expect(throws: GeneratorError.self) { try Self.source(".Sh NAME\n") }
    #expect(error?.description == "the page has neither a section nor a list of the interface")
  }
}
