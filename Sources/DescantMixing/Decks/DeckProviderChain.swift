package import DescantCore
internal import Foundation

/// Finds title, tags and codec of a source, for decoders that only decode.
package protocol TrackDescriber: Sendable {
    /// Title, tags and codec of a source.
    ///
    /// - Throws: `CoreError` when nothing can be found out.
    func describe(_ source: AudioSource) async throws -> TrackInfo
}

/// Opens URLs with the decoders of plugins first and with another provider after them; PCM of the host needs neither.
///
/// When a decoder recognises a file by its content and refuses it as damaged (`CoreError.decodeError`), the other provider does
/// not get the file: it might search it for seconds. A decoder that leaves the file to others throws `CoreError.unsupported`.
package struct DeckProviderChain: DeckProvider {
    private let plugins: PluginRegistry
    private let fallback: (any DeckProvider)?
    private let describer: (any TrackDescriber)?
    private let buffered: BufferedDecks
    private let descriptionLimit: Double

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - plugins: The registry that knows the decoders; its limits hold for calls into them.
    ///   - fallback: Opens encoded bytes, and URLs that no decoder takes; without one, only files are opened.
    ///   - describer: Finds titles and tags for what a decoder opens; without one the title is the file's name.
    ///   - converters: Convert channels to those of the mix.
    ///   - tempo: Change the speed of what decoders and hosts deliver.
    ///   - descriptionLimit: How long opening waits for the title once the deck is open, in seconds. A later title is
    ///     reported as an event.
    package init(
        plugins: PluginRegistry, fallback: (any DeckProvider)?, describer: (any TrackDescriber)?,
        converters: any SampleConverterFactory, tempo: any TempoChangerFactory, descriptionLimit: Double = 0.1
    ) {
        self.plugins = plugins
        self.fallback = fallback
        self.describer = describer
        self.descriptionLimit = descriptionLimit
        buffered = BufferedDecks(converters: converters, tempo: tempo, limits: plugins.limits)
    }

    /// Opens a source and waits for its first frame.
    ///
    /// - Throws: `CoreError` naming the source and every decoder that was tried; `CancellationError`.
    package func open(
        _ source: AudioSource, mix: PCMFormat, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        switch source {
        case .url(let url):
            if let part = MediaFragment(url) { return try await open(part, of: url, mix: mix, onEvent: onEvent) }
            let candidates = await candidates(for: url, onEvent: onEvent)
            return try await open(url, with: candidates, mix: mix, onEvent: onEvent)
        case .data, .bytes:
            guard let fallback else { throw Self.onlyFiles(source) }
            return try await fallback.open(source, mix: mix, onEvent: onEvent)
        case .pcm(let pcm): return try await buffered.open(pcm, channels: mix.channels, onEvent: onEvent)
        }
    }

    /// Opens a part of a file.
    private func open(
        _ part: MediaFragment, of url: URL, mix: PCMFormat, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.fragment = nil
        guard let file = parts?.url else {
            throw CoreError.invalidArgument("\(AudioSource.url(url).name) is not a URL")
        }
        let whole = try await open(.url(file), mix: mix) { event in
            guard case .trackInfoChanged(let track) = event else { return onEvent(event) }
            onEvent(.trackInfoChanged(part.described(track, duration: part.duration(ofFile: track.duration))))
        }
        return try await whole.narrowed(to: part)
    }

    /// The decoders for a URL, best first. A file that cannot be read has none: the fallback then reports the reason.
    private func candidates(
        for url: URL, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async -> [DecoderCandidate] {
        await withCheckedContinuation { continuation in
            DedicatedQueue.run("descant.deck.choosing") { [plugins] in
                guard url.isFileURL else {
                    return continuation.resume(
                        returning: plugins.decoders(forScheme: url.scheme?.lowercased() ?? ""))
                }
                guard let source = try? ProbedSource(url) else { return continuation.resume(returning: []) }
                continuation.resume(
                    returning: plugins.decoders(for: source) { plugin, operation, seconds in
                        onEvent(.overdue(plugin: plugin, operation: operation, seconds: seconds))
                    })
            }
        }
    }

    private func open(
        _ url: URL, with candidates: [DecoderCandidate], mix: PCMFormat,
        onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        var failures: [Failure] = []
        var isRefused = false
        for candidate in candidates where !isRefused || candidate.recognisesContent {
            do {
                var opened = try await buffered.open(url, with: candidate, channels: mix.channels, onEvent: onEvent)
                opened.info.decoderReason += Failure.summary(of: url, failures)
                return await described(opened, url: url, onEvent: onEvent)
            } catch let error as CancellationError {
                throw error
            } catch {
                failures.append(Failure(decoder: candidate.identifier, error: error))
                isRefused = isRefused || candidate.isFinal(error)
            }
        }
        if isRefused { throw Failure.refusal(of: url, failures) }
        return try await openWithFallback(url, after: failures, mix: mix, onEvent: onEvent)
    }

    private func openWithFallback(
        _ url: URL, after failures: [Failure], mix: PCMFormat, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        guard let fallback else {
            guard url.isFileURL else { throw Self.onlyFiles(.url(url)) }
            // A file that cannot be read has no decoders, and here its reason.
            _ = try ProbeInput(file: url)
            throw Failure.refusal(of: url, failures, await unusableDecoders(for: url))
        }
        // Noise passes for some formats, so that a file for a bundle out of use would be heard as noise.
        if failures.allSatisfy({ $0.error is PluginError }), let recognizer = fallback as? any ContentRecognizer {
            let unusable = await unusableDecoders(for: url)
            if !unusable.isEmpty, !(await recognises(url, recognizer)) {
                throw PluginRegistry.refusal(AudioSource.url(url).name, [], unusable)
            }
        }
        do {
            var opened = try await fallback.open(.url(url), mix: mix, onEvent: onEvent)
            opened.info.decoderReason += Failure.summary(of: url, failures)
            return opened
        } catch let error as CoreError {
            let unusable = await unusableDecoders(for: url)
            guard !failures.isEmpty else {
                throw unusable.isEmpty ? error : error.withMessage(error.message + unusable)
            }
            throw Failure.refusal(of: url, failures + [Failure(decoder: "gstreamer", error: error)], unusable)
        }
    }

    private static func onlyFiles(_ source: AudioSource) -> CoreError {
        .unsupported(
            "\(source.name): only files are played while decoders run in processes of their own; copy it into a file")
    }

    private func recognises(_ url: URL, _ recognizer: any ContentRecognizer) async -> Bool {
        await withCheckedContinuation { continuation in
            DedicatedQueue.run("descant.deck.choosing") { continuation.resume(returning: recognizer.recognises(url)) }
        }
    }

    /// The bundles that would read a file and were refused, with the reasons; empty without any.
    private func unusableDecoders(for url: URL) async -> String {
        guard url.isFileURL, !plugins.unavailable.isEmpty else { return "" }
        return await withCheckedContinuation { continuation in
            DedicatedQueue.run("descant.deck.choosing") { [plugins] in
                let source = try? ProbedSource(url)
                continuation.resume(returning: source.map { plugins.unusableDecoders(for: $0.input) } ?? "")
            }
        }
    }

    /// Adds title and tags, if they are found within the limit.
    private func described(
        _ opened: OpenedDeck, url: URL, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async -> OpenedDeck {
        guard let describer else { return opened }
        let track = opened.info.track
        // A file without tags is played, too: its name remains as the title.
        let found = try? await withTimeout(descriptionLimit, late: { onEvent(.trackInfoChanged($0)) }) {
            track.described(as: try await describer.describe(.url(url)))
        }
        var result = opened
        result.info.track = found ?? track
        return result
    }

    /// A decoder that could not open a source.
    private struct Failure {
        let decoder: String
        let error: any Error

        /// The failures as parts of a text that names the source.
        private static func list(_ failures: [Failure], about name: String) -> String {
            failures.map { "\($0.decoder): \(CoreError.reason(of: $0.error, about: name))" }.joined(separator: "; ")
        }

        /// Continues the reason of the decoder that opened the source; empty when it was the first.
        static func summary(of url: URL, _ failures: [Failure]) -> String {
            failures.isEmpty ? "" : "; tried before it: " + list(failures, about: AudioSource.url(url).name)
        }

        /// One error for a source that no decoder could open. It has the kind of the last error, whose decoder knows the
        /// most formats.
        static func refusal(of url: URL, _ failures: [Failure], _ unusable: String = "") -> CoreError {
            let name = AudioSource.url(url).name
            var text = "\(name): no decoder could open it; " + list(failures, about: name)
            if failures.count == 1, let error = failures[0].error as? CoreError, error.message.hasPrefix(name) {
                text = error.message
            }
            text += unusable
            guard let last = failures.last?.error as? CoreError else { return .unsupported(text) }
            return last.withMessage(text)
        }
    }
}

extension TrackInfo {
    /// The track with names and tags of a description; length and depth stay as decoded.
    fileprivate func described(as found: TrackInfo) -> TrackInfo {
        var result = self
        result.title = found.title
        result.artist = found.artist
        result.tags = found.tags
        result.replayGain = found.replayGain ?? replayGain
        if !found.format.codec.isEmpty { result.format.codec = found.format.codec }
        if result.duration == 0 { result.duration = found.duration }
        return result
    }
}
