public import Descant

/// The text, options and output of speech.
public struct SpeakRequest: Sendable {
    /// The text.
    public var text: String
    /// The synthesizer, as `descant plugins` lists it; `nil` for the first one there is.
    public var engine: String?
    /// How it is spoken.
    public var settings: SpeechSettings
    /// Where it is heard.
    public var output: OutputDestination

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - engine: The synthesizer; `nil` for the first one there is.
    ///   - settings: How it is spoken.
    ///   - output: Where it is heard.
    public init(text: String, engine: String?, settings: SpeechSettings, output: OutputDestination) {
        self.text = text
        self.engine = engine
        self.settings = settings
        self.output = output
    }

    /// About how many UTF-8 bytes of a text are spoken in a second, in Latin, Cyrillic and East Asian writing alike.
    private static let bytesPerSecond = 15.0

    /// What to say before a long text is written into a WAVE file, which may end before the text; `nil` where it will do.
    public var warning: String? {
        guard case .wav(_, let encoding, _) = output else { return nil }
        let room = WaveRoom(encoding, Speaking.format).seconds
        let length = Double(text.utf8.count) / Self.bytesPerSecond / settings.rate
        guard length > room else { return nil }
        return "the text lasts about \(WaveRoom.hours(length)), and a WAVE file ends at 4 GiB, which is "
            + "\(WaveRoom.hours(room)); a name that ends in .flac has no such end"
    }
}

/// The selected synthesizer, or the reason why there is none.
struct SynthesizerChoice {
    /// Its name.
    let name: String

    /// Selects the synthesizer with a name, or the first available one.
    ///
    /// - Parameters:
    ///   - name: The name; `nil` for the first one.
    ///   - plugins: The registry to search.
    /// - Throws: ``InputError`` when there is no such synthesizer, or none at all; `PluginError` when its licence is
    ///   refused.
    init(_ name: String?, in plugins: PluginRegistry) throws {
        let known = plugins.providers(of: .speech).map(\.provision.identifier)
        guard let chosen = name ?? known.first else { throw Self.none(in: plugins) }
        guard known.contains(chosen) else {
            do {
                // The registry knows what a refused bundle would provide.
                _ = try plugins.makeSpeechSynthesizer(chosen)
            } catch PluginError.notProvided {}
            throw InputError(
                description: "no plugin provides the synthesizer \(chosen); there are: "
                    + (known.isEmpty ? "none" : known.sorted().joined(separator: ", ")))
        }
        self.name = chosen
    }

    /// Why there is no synthesizer, with the bundles whose licences are refused.
    private static func none(in plugins: PluginRegistry) -> InputError {
        let refusals = plugins.unavailable.compactMap { plugin in
            if case .licenseRefused = plugin.error { "\(plugin.error)" } else { nil }
        }
        let remedy =
            refusals.isEmpty
            ? "Its bundle was not found: \(PluginReport.remedy); see: descant plugins"
            : refusals.joined(separator: "\n")
        return InputError(description: "there is no synthesizer. \(remedy)")
    }
}
