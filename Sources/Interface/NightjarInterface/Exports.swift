// The generated types have the functions of Varlink's protocols.
@_exported public import Varlink
