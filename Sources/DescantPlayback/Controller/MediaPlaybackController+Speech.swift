public import DescantCore
internal import Foundation

/// The voices of the engines that speak, and how they speak.
///
/// Where no engine is named, the selected one is meant, or the first one that speaks if that does not.
extension MediaPlaybackController {
    /// The voices of an engine, the default one first. Makes the engine.
    ///
    /// - Parameter engine: The engine; `nil` for the one that speaks.
    /// - Throws: `CoreError.unsupported` for an engine that is not a ``SpeechEngine``, ``MediaPlaybackError`` when it cannot be made,
    ///   `CoreError.ioError` when the voices cannot be listed.
    public func voices(of engine: String? = nil) async throws -> [SpeechVoice] {
        // Listing can take as long as loading models; it delays no command.
        try await serially { try await speechEngine(engine) }.voices()
    }

    /// How an engine speaks: its voice, pitch and pauses. Makes the engine.
    ///
    /// - Parameter engine: The engine; `nil` for the one that speaks.
    /// - Throws: As ``voices(of:)``.
    public func speechSettings(of engine: String? = nil) async throws -> SpeechSettings {
        try await serially { try await speechEngine(engine) }.settings
    }

    /// Changes how an engine speaks, also while it does: another voice goes on with the present word. Makes the engine.
    ///
    /// Every engine keeps its own settings. The rate of the selected engine becomes that of the controller, as with
    /// ``setRate(_:)``; another engine gets the controller's rate when it is selected.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - engine: The engine; `nil` for the one that speaks.
    /// - Throws: `CoreError.invalidArgument` for settings outside their ranges, `CoreError.notFound` for a voice that the engine
    ///   finds missing while it speaks, or as ``voices(of:)``.
    public func setSpeechSettings(_ settings: SpeechSettings, of engine: String? = nil) async throws {
        try await serially {
            let speech = try await speechEngine(engine)
            try await call(speech, "setSpeechSettings", fields: ["voice": .open(settings.voice ?? "")]) {
                try await speech.apply(settings)
            }
            engines.note(rate: settings.rate, of: speech.identifier)
            if speech.identifier == engines.selected { media.rate = settings.rate }
            await publish()
        }
    }

    private func speechEngine(_ identifier: String?) async throws -> SpeechEngine {
        let identifier = identifier ?? speakingEngine
        guard let identifier else { throw MediaPlaybackError.noEngine(reason: "no plugin provides a voice") }
        if let reason = refusal(of: identifier) {
            throw MediaPlaybackError.engineUnavailable(identifier, reason: reason)
        }
        guard let speech = try await make(identifier) as? SpeechEngine else {
            throw CoreError.unsupported("\(identifier) has no voices; name an engine that speaks")
        }
        return speech
    }

    /// The selected engine if it speaks, or else the first one that does.
    private var speakingEngine: String? {
        func speaks(_ identifier: String) -> Bool {
            let able =
                engines[identifier] == nil
                ? catalog.capabilities(of: identifier) : engines.capabilities(of: identifier)
            return able?.contains(.speaksText) ?? false
        }
        if let selected = engines.selected, speaks(selected) { return selected }
        return availableEngines.first(where: speaks) ?? engines.selected ?? availableEngines.first
    }

    /// Passes on an event of the selected engine.
    func heard(_ event: SpeechEvent, from identifier: String) async {
        guard identifier == engines.selected else { return }
        switch event.kind {
        // The controller reports failures itself: some of them come from the session or the start.
        case .failed: return
        case .phase:
            hubs.speech.post(event)
            await publish()
        default: hubs.speech.post(event)
        }
    }
}
