// `import Descant` is all that a host or a plugin needs.
@_exported public import DescantCore
@_exported public import DescantDesktop
@_exported public import DescantGStreamer
@_exported public import DescantPlayback
