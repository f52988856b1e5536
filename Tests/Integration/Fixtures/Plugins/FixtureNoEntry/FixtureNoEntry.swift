import Descant

/// A library that uses Descant and is not a plugin.
public func playOrder(of names: [String]) -> [PluginKind: [String]] { [.decoder: names.sorted()] }
