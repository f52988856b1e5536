/// A bundle with an accepted manifest.
public struct AvailablePlugin: Sendable, Hashable {
    /// The manifest.
    public let manifest: PluginManifest
    /// Its folder.
    public let path: String
    /// Whether its library is in this process.
    public let isLoaded: Bool
}

/// A bundle that cannot be used.
public struct UnavailablePlugin: Sendable, Equatable {
    /// Its folder.
    public let path: String
    /// Its identifier; `nil` when the manifest could not be read.
    public let identifier: String?
    /// Why it cannot be used, with the remedy.
    public let error: PluginError
}

/// A provision that a registry can make.
public struct AvailableProvider: Sendable, Hashable {
    /// The description.
    public let provision: PluginProvision
    /// The identifier of the bundle that provides it; `nil` for what the host registered in code.
    public let plugin: String?
}
