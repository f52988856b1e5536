public import Foundation

/// Choosing a decoder.
extension PluginRegistry {
    /// The decoders for a file, best first: by score, then by declared priority, then in the order of registration.
    ///
    /// A bundle's library is loaded only when its manifest speaks for the file; then the decoder's own judgement counts
    /// where it has one (``DecoderProbe``). A decoder that cannot be made keeps its place, so that its reason reaches
    /// whoever tries it.
    ///
    /// A decoder whose loading or judgement exceeds its limit (``limits``) is left out.
    ///
    /// - Parameter input: What is known of the file.
    public func decoders(for input: ProbeInput) -> [DecoderCandidate] { decoders(for: input) { _, _, _ in } }

    /// The decoders for a file, and which plugins took too long to say so.
    ///
    /// - Parameters:
    ///   - input: What is known of the file.
    ///   - overdue: Receives plugin, operation and limit of each call that was given up.
    package func decoders(
        for input: ProbeInput, overdue: (_ plugin: String, _ operation: String, _ seconds: Double) -> Void
    ) -> [DecoderCandidate] {
        let candidates = registered(.decoder).compactMap { provider -> DecoderCandidate? in
            let scores = provider.provision.fileTypes.map { (score: $0.score(input), priority: $0.priority) }
            guard let declared = scores.max(by: { ($0.score, $0.priority) < ($1.score, $1.priority) }),
                declared.score > .none
            else { return nil }
            do {
                let score = try judgement(of: provider, on: input, declared: declared.score)
                return score > .none ? candidate(provider, score: score, priority: declared.priority) : nil
            } catch PluginError.overdue(let plugin, let operation, let seconds) {
                overdue(plugin, operation, seconds)
                return nil
            } catch {
                note(provider, error)
                return candidate(provider, score: declared.score, priority: declared.priority)
            }
        }
        return ranked(candidates)
    }

    /// The decoders that take a URL scheme other than `file`, best first.
    ///
    /// - Parameter scheme: The scheme, in lower case.
    public func decoders(forScheme scheme: String) -> [DecoderCandidate] {
        let providers = registered(.decoder).filter { $0.provision.schemes.contains(scheme) }
        return ranked(
            providers.map { provider in
                let priority = provider.provision.fileTypes.map(\.priority).max() ?? 0
                return candidate(provider, score: .content, priority: priority)
            })
    }

    /// Opens a file or stream with the best decoder; when it cannot, the next one is tried.
    ///
    /// A decoder that recognised the file by its content and calls it damaged (``CoreError/decodeError(_:)``) has the last word:
    /// behind it only decoders are tried that recognised the content, too. With ``CoreError/unsupported(_:)`` a decoder leaves the
    /// file to all others.
    ///
    /// - Parameters:
    ///   - url: A file URL, or one whose scheme a decoder declares.
    ///   - mimeType: The MIME type, if somebody declared one.
    /// - Returns: The open stream; the caller closes its handle.
    /// - Throws: ``CoreError`` as the best decoder threw it, naming the file and every decoder that was tried;
    ///   ``CoreError/notFound(_:)``, ``CoreError/ioError(underlying:)`` or ``CoreError/decodeError(_:)`` for a file that
    ///   cannot be read or is empty; ``CoreError/unsupported(_:)`` when no decoder is for it.
    public func open(_ url: URL, mimeType: String? = nil) throws -> sending OpenedStream {
        let candidates: [DecoderCandidate]
        let name = AudioSource.url(url).name
        if url.isFileURL {
            candidates = decoders(for: try ProbeInput(file: url, mimeType: mimeType))
        } else {
            candidates = decoders(forScheme: url.scheme?.lowercased() ?? "")
        }
        var failures: [(candidate: DecoderCandidate, error: any Error)] = []
        var isRecognised = false
        for candidate in candidates where !isRecognised || candidate.recognisesContent {
            do {
                return try open(url, with: candidate, after: failures)
            } catch {
                failures.append((candidate, error))
                isRecognised = isRecognised || candidate.isFinal(error)
            }
        }
        throw Self.refusal(name, failures)
    }

    private func open(
        _ url: URL, with candidate: DecoderCandidate, after failures: [(candidate: DecoderCandidate, error: any Error)]
    ) throws -> sending OpenedStream {
        let tried = failures.map { "; before it \($0.candidate.summary): \($0.error)" }.joined()
        // Safe: nobody else has it, and this thread userCommandCount it no more once the call has begun.
        nonisolated(unsafe) let decoder = try candidate.makeDecoder()
        return try limited(candidate.provider, "open", limits.open) { (late: OpenedStream) in
            late.decoder.close(late.handle)
        } _: {
            let handle = try decoder.open(url: url)
            do {
                let info = try decoder.info(handle)
                try info.validate()
                nonisolated(unsafe) let opened = OpenedStream(
                    decoder: decoder, handle: handle, info: info, identifier: candidate.identifier,
                    plugin: candidate.plugin, reason: candidate.summary + tried)
                return opened
            } catch {
                decoder.close(handle)
                throw error
            }
        }
    }

    /// One error for a file that no candidate could open.
    private static func refusal(
        _ name: String, _ failures: [(candidate: DecoderCandidate, error: any Error)]
    ) -> CoreError {
        guard let best = failures.first else {
            return .unsupported("\(name): no decoder is for this kind of file; 'descant plugins' lists what there is")
        }
        let messages = failures.map {
            "\($0.candidate.identifier): \(($0.error as? CoreError)?.message ?? "\($0.error)")"
        }
        let text =
            failures.count == 1 ? messages[0] : "\(name): no decoder could open it; " + messages.joined(separator: "; ")
        switch best.error as? CoreError {
        case .notFound: return .notFound(text)
        case .ioError: return .ioError(text)
        case .decodeError: return .decodeError(text)
        case .invalidArgument: return .invalidArgument(text)
        case .invalidState: return .invalidState(text)
        case .unsupported, nil: return .unsupported(text)
        }
    }

    private func judgement(
        of provider: RegisteredProvider, on input: ProbeInput, declared: ProbeScore
    ) throws -> ProbeScore {
        var judgement = provider.judgement
        if case .unknown = judgement { judgement = provider.learn(from: try makeDecoder(provider)) }
        guard case .decoder(let judge) = judgement else { return declared }
        return try limited(provider, "score", limits.score, on: provider.judging) { judge.score(input) }
    }

    private func candidate(_ provider: RegisteredProvider, score: ProbeScore, priority: Int) -> DecoderCandidate {
        DecoderCandidate(
            identifier: provider.provision.identifier, plugin: provider.plugin, score: score, priority: priority,
            registry: self, provider: provider)
    }

    private func ranked(_ candidates: [DecoderCandidate]) -> [DecoderCandidate] {
        // Swift's sort is stable, which keeps the order of registration among equals.
        candidates.sorted { ($0.score, $0.priority) > ($1.score, $1.priority) }
    }
}
