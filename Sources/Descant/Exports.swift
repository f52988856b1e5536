// `import Descant` is enough for hosts and plugins: it brings the ports, the plugin contract and the services.
@_exported public import DescantCore
@_exported public import DescantPlayback
