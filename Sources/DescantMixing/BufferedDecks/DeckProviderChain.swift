package import DescantCore
internal import Foundation

/// Opens sources with the decoders of plugins first and with another provider after them; plays PCM of the host itself.
///
/// What a decoder recognised by its content and refused as damaged (`CoreError.decodeError`) is not offered to the other provider,
/// which might look for seconds for something to play in it. A decoder that wants others to try throws `CoreError.unsupported`.
package struct DeckProviderChain: DeckProvider {
    private let chooser: any DecoderChooser
    private let fallback: any DeckProvider
    private let describer: (any TrackDescriber)?
    private let converters: any SampleConverterFactory
    private let tempo: any TempoChangerFactory
    private let limits: CallLimits
    private let descriptionGrace: Double

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - chooser: Knows the decoders of plugins.
    ///   - fallback: Opens what no plugin takes, and encoded bytes.
    ///   - describer: Finds titles and tags for what a plugin decodes; `nil` for file names only.
    ///   - converters: Bring channels to those of the mix.
    ///   - tempo: Change the speed of what plugins decode and hosts make.
    ///   - limits: How long calls into decoders may take.
    ///   - descriptionGrace: How long opening waits for the title once the sound is there, in seconds; a later title arrives
    ///     as news.
    package init(
        chooser: any DecoderChooser, fallback: any DeckProvider, describer: (any TrackDescriber)?,
        converters: any SampleConverterFactory, tempo: any TempoChangerFactory, limits: CallLimits = CallLimits(),
        descriptionGrace: Double = 0.1
    ) {
        self.chooser = chooser
        self.fallback = fallback
        self.describer = describer
        self.converters = converters
        self.tempo = tempo
        self.limits = limits
        self.descriptionGrace = descriptionGrace
    }

    /// Opens a source and waits for its first frame.
    ///
    /// - Throws: `CoreError` naming the source and every decoder that was tried; `CancellationError`.
    package func open(
        _ source: AudioSource, mix: PCMFormat, news: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        switch source {
        case .url(let url):
            let choices = await choices(for: url, news: news)
            return try await open(url, with: choices, mix: mix, news: news)
        case .data, .bytes: return try await fallback.open(source, mix: mix, news: news)
        case .pcm(let pcm):
            return try await PCMSourceDeck(converters: converters, tempo: tempo, limits: limits)
                .open(pcm, channels: mix.channels, news: news)
        }
    }

    /// The plugins' decoders for a URL. A file that cannot be looked at has none: the fallback then says what is wrong.
    private func choices(for url: URL, news: @escaping @Sendable (DeckEvent) -> Void) async -> [DecoderChoice] {
        await withCheckedContinuation { continuation in
            DedicatedQueue.run("descant.deck.choosing") { [chooser] in
                let found = Result {
                    try chooser.choices(for: url) {
                        news(.overdue(plugin: $0, operation: $1, seconds: $2))
                    }
                }
                continuation.resume(returning: (try? found.get()) ?? [])
            }
        }
    }

    private func open(
        _ url: URL, with choices: [DecoderChoice], mix: PCMFormat, news: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        var failures: [DecoderAttempt] = []
        var isRefused = false
        for choice in choices where !isRefused || choice.recognisesContent {
            do {
                let opener = DecoderDeck(choice: choice, converters: converters, tempo: tempo, limits: limits)
                var opened = try await opener.open(url, channels: mix.channels, news: news)
                opened.decoderReason += DecoderAttempt.summary(failures)
                return await described(opened, url: url, news: news)
            } catch let error as CancellationError {
                throw error
            } catch {
                failures.append(DecoderAttempt(decoder: choice.identifier, error: error))
                if choice.recognisesContent, case .decodeError? = error as? CoreError { isRefused = true }
            }
        }
        if isRefused { throw DecoderAttempt.refusal(of: url, failures) }
        return try await openWithFallback(url, after: failures, mix: mix, news: news)
    }

    private func openWithFallback(
        _ url: URL, after failures: [DecoderAttempt], mix: PCMFormat, news: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        do {
            var opened = try await fallback.open(.url(url), mix: mix, news: news)
            opened.decoderReason += DecoderAttempt.summary(failures)
            return opened
        } catch let error as CoreError where !failures.isEmpty {
            throw DecoderAttempt.refusal(of: url, failures + [DecoderAttempt(decoder: "gstreamer", error: error)])
        }
    }

    /// Adds title and tags, if they are found soon enough.
    private func described(
        _ opened: OpenedDeck, url: URL, news: @escaping @Sendable (DeckEvent) -> Void
    ) async -> OpenedDeck {
        guard let describer else { return opened }
        let merge = TrackMerge(track: opened.track)
        // No tags are no reason not to play: the file's name remains as the title.
        let found = try? await withTimeout(descriptionGrace, late: { news(.trackInfoChanged($0)) }) {
            try merge.merged(await describer.describe(.url(url)))
        }
        var result = opened
        result.track = found ?? opened.track
        return result
    }
}
