public import Descant
internal import Foundation

/// A line that was made into sound by an installed voice, ready to be played over something.
public struct SpokenLine: Sendable {
    /// The synthesizer that speaks it.
    public let engine: String
    let tracks: SpeechTracks
    let url: URL

    /// The order in which synthesizers are tried: English with a natural voice, then any language.
    private static let preferred = ["flite", "espeak"]

    /// Makes a line into sound with the first voice that can speak it.
    ///
    /// - Parameters:
    ///   - text: The English text.
    ///   - environment: Which voices there are.
    /// - Throws: ``InputError`` when there is no voice, or none that works.
    public init(_ text: String, environment: AudioEnvironment) async throws {
        let known = environment.plugins.providers(of: .speech).map(\.provision.identifier)
        let names = Self.preferred.filter(known.contains) + known.filter { !Self.preferred.contains($0) }
        var failures: [String] = []
        for name in names {
            do {
                self = try await Self(text, engine: name, environment: environment)
                return
            } catch {
                failures.append("\(error)")
            }
        }
        throw InputError(
            description: failures.isEmpty
                ? "no voice is installed; see: descant plugins" : failures.joined(separator: "; "))
    }

    private init(_ text: String, engine: String, environment: AudioEnvironment) async throws {
        let tracks = SpeechTracks(
            identifier: engine, synthesizer: try environment.plugins.makeSpeechSynthesizer(engine),
            clock: environment.clock, logger: environment.logger)
        do {
            let url = try tracks.add(text, settings: SpeechSettings(language: "en"))
            // Speaking the line now shows whether the voice works, and fills the cache for the player.
            _ = try await tracks.audioSource(for: url)
            (self.engine, self.tracks, self.url) = (engine, tracks, url)
        } catch {
            await tracks.shutdown()
            throw error
        }
    }

    /// Ends the voice.
    public func shutdown() async { await tracks.shutdown() }
}
