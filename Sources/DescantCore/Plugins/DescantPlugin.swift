public import Foundation

/// The host's services for a plugin.
public struct PluginContext: Sendable {
    /// The logger for the plugin.
    public let logger: any LoggerPort
    /// The host's clock.
    public let clock: any ClockPort
    /// The bundle's folder, which holds the files beside the library.
    public let bundleURL: URL
    /// The host's mixer, for engines that make PCM; `nil` where a host has none.
    public let mixer: (any MixingEngine)?

    /// Creates a context; hosts and tests do this.
    ///
    /// - Parameters:
    ///   - logger: Where the plugin logs.
    ///   - clock: The host's clock.
    ///   - bundleURL: The bundle's folder.
    ///   - mixer: The host's mixer.
    public init(logger: any LoggerPort, clock: any ClockPort, bundleURL: URL, mixer: (any MixingEngine)? = nil) {
        self.logger = logger
        self.clock = clock
        self.bundleURL = bundleURL
        self.mixer = mixer
    }

    /// Whether the plugin runs in a helper process (``PluginIsolation``), which starts no other process.
    public var isIsolated: Bool { HelperServer.isRunning }
}

/// The type that describes a bundle and creates what it provides.
///
/// The closures in the manifest's ``PluginManifest/provides`` make the objects. A host keeps the instance that ``init()``
/// creates until the process ends.
public protocol DescantPlugin: Sendable {
    /// The plugin's description and what it provides; the same in every run.
    ///
    /// The bundle writer stores the description beside the library.
    static var manifest: PluginManifest { get }

    /// Creates the plugin; called once, before the first closure of the manifest.
    ///
    /// - Throws: Any error when the plugin cannot work on this machine; hosts list it as unavailable with this reason.
    init() throws
}
