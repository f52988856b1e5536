/// When a controller makes its engines.
public enum EngineInitializationPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The selected engine is made at launch, every other one when it is selected. The audio session is not touched before
    /// something is played.
    case selectedAtLaunch
    /// No engine is made before something is played, or ``MediaPlaybackController/prepareSettings()`` asks for one.
    case onDemand
}
