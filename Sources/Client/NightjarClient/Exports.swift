// The types of the interface are a part of this library's own.
@_exported public import NightjarInterface
