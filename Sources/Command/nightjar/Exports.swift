// The understanding of words is a part of this library's own.
@_exported public import NightjarWords
