public import Foundation

/// Choosing a decoder.
extension PluginRegistry {
    /// The decoders for a file, best first: by score, then by declared priority, then in the order of registration.
    ///
    /// A bundle's library is loaded only when its manifest matches the file. The score of a ``DecoderProbe`` then replaces the
    /// manifest's. A decoder that cannot be made stays in the list; making it throws the reason.
    ///
    /// A decoder that exceeds a limit (``limits``) is left out.
    ///
    /// - Parameter input: The file's first bytes, extension and MIME type.
    public func decoders(for input: ProbeInput) -> [DecoderCandidate] { decoders(for: input) { _, _, _ in } }

    /// The decoders for a file, and the calls that exceeded their limit.
    ///
    /// - Parameters:
    ///   - input: The file's first bytes, extension and MIME type.
    ///   - overdue: Receives plugin, operation and limit of each abandoned call.
    package func decoders(
        for input: ProbeInput, overdue: (_ plugin: String, _ operation: String, _ seconds: Double) -> Void
    ) -> [DecoderCandidate] {
        decoders(for: ProbedSource(input), overdue: overdue)
    }

    /// The decoders for a source whose first bytes may be those of long tags; as ``decoders(for:)``, otherwise.
    package func decoders(
        for source: ProbedSource, overdue: (_ plugin: String, _ operation: String, _ seconds: Double) -> Void
    ) -> [DecoderCandidate] {
        let known = scored(source, overdue: overdue)
        return known.isEmpty && rescanIfChanged() ? scored(source, overdue: overdue) : known
    }

    private func scored(
        _ source: ProbedSource, overdue: (_ plugin: String, _ operation: String, _ seconds: Double) -> Void
    ) -> [DecoderCandidate] {
        let candidates = registered(.decoder).compactMap { provider -> DecoderCandidate? in
            let scores = provider.provision.fileTypes.map { (score: $0.score(source.input), priority: $0.priority) }
            guard let declared = scores.max(by: { ($0.score, $0.priority) < ($1.score, $1.priority) }),
                declared.score > .none
            else { return nil }
            do {
                var score = try judgement(of: provider, on: source.input, declared: declared.score)
                if score == .none, let whole = source.unshortened {
                    score = try judgement(of: provider, on: whole, declared: declared.score)
                }
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
        var providers = registered(.decoder).filter { $0.provision.schemes.contains(scheme) }
        if providers.isEmpty, rescanIfChanged() {
            providers = registered(.decoder).filter { $0.provision.schemes.contains(scheme) }
        }
        return ranked(
            providers.map { provider in
                let priority = provider.provision.fileTypes.map(\.priority).max() ?? 0
                return candidate(provider, score: .content, priority: priority)
            })
    }

    /// Opens a file or stream with the best decoder; when it cannot, the next one is tried.
    ///
    /// After ``CoreError/decodeError(_:)`` of a decoder that recognised the content, only decoders that recognised it as well are
    /// tried. After ``CoreError/unsupported(_:)`` all others are tried.
    ///
    /// - Parameters:
    ///   - url: A file URL, or one whose scheme a decoder declares.
    ///   - mimeType: The declared MIME type, if any.
    /// - Returns: The open stream; the caller closes its handle.
    /// - Throws: ``CoreError`` as the best decoder threw it, naming the file and every decoder that was tried;
    ///   ``CoreError/notFound(_:)``, ``CoreError/ioError(underlying:)`` or ``CoreError/decodeError(_:)`` for a file that
    ///   cannot be read or is empty; ``CoreError/unsupported(_:)`` when no decoder is for it.
    public func open(_ url: URL, mimeType: String? = nil) throws -> sending OpenedStream {
        let source = try ProbedSource(url, mimeType: mimeType)
        do {
            return try open(url, source).stream
        } catch let refused as DecodersRefused {
            throw Self.refusal(AudioSource.url(url).name, refused.failures, unusable(url, source.input))
        }
    }

    /// Opens a file or stream with the best decoder; when it cannot, the next one is tried.
    ///
    /// - Parameters:
    ///   - url: A file URL, or one whose scheme a decoder declares.
    ///   - source: What is known of it.
    /// - Returns: The open stream, and the decoder that opened it.
    /// - Throws: ``DecodersRefused``.
    func open(
        _ url: URL, _ source: ProbedSource
    ) throws -> sending (stream: OpenedStream, candidate: DecoderCandidate) {
        let candidates =
            url.isFileURL ? decoders(for: source) { _, _, _ in } : decoders(forScheme: url.scheme?.lowercased() ?? "")
        var refused = DecodersRefused()
        for candidate in candidates where !refused.isFinal || candidate.recognisesContent {
            do {
                return (try open(url, with: candidate, after: refused.failures), candidate)
            } catch {
                refused.failures.append((candidate, error))
                refused.isFinal = refused.isFinal || candidate.isFinal(error)
            }
        }
        throw refused
    }

    /// The bundles that would read a source and were refused, with the reasons; empty without any.
    func unusable(_ url: URL, _ input: ProbeInput) -> String { url.isFileURL ? unusableDecoders(for: input) : "" }

    private func open(
        _ url: URL, with candidate: DecoderCandidate, after failures: [(candidate: DecoderCandidate, error: any Error)]
    ) throws -> sending OpenedStream {
        let name = AudioSource.url(url).name
        let tried = failures.map {
            "; before it \($0.candidate.summary): \(CoreError.reason(of: $0.error, about: name))"
        }.joined()
        // Safe: no other reference exists, and this thread does not use it after the call has begun.
        nonisolated(unsafe) let decoder = try candidate.makeDecoder()
        return try limited(candidate.provider, "open", limits(of: candidate.provider).open) { (late: OpenedStream) in
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
    package static func refusal(
        _ name: String, _ failures: [(candidate: DecoderCandidate, error: any Error)], _ unusable: String
    ) -> CoreError {
        guard let best = failures.first else {
            let remedy = unusable.isEmpty ? "; 'descant plugins' lists what there is" : unusable
            return .unsupported("\(name): no decoder supports this kind of file\(remedy)")
        }
        let reasons = failures.map {
            "\($0.candidate.identifier): \(CoreError.reason(of: $0.error, about: name))"
        }
        let text = "\(name): no decoder could open it; " + reasons.joined(separator: "; ") + unusable
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
        if provider.helpers != nil {
            return try limited(provider, "score", limits(of: provider).score) {
                try provider.scoreInHelper(input) ?? declared
            }
        }
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

/// A decoder that may be able to open a file.
public struct DecoderCandidate: Sendable {
    /// The decoder's identifier.
    public let identifier: String
    /// The bundle that provides it; `nil` for the host's own.
    public let plugin: String?
    /// The score; candidates are sorted by it, highest first.
    public let score: ProbeScore
    /// The declared priority that decides between equal scores.
    public let priority: Int

    let registry: PluginRegistry
    let provider: RegisteredProvider

    /// Makes the decoder.
    ///
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeDecoder() throws -> sending any DecoderPort { try registry.makeDecoder(provider) }

    /// The name in reports of overdue calls: the bundle's, or the decoder's own when it is built in.
    package var providerName: String { plugin ?? identifier }

    /// Takes the decoder's bundle out of use until the process ends, after a call into it has exceeded its limit.
    ///
    /// - Parameters:
    ///   - operation: The call that did not return.
    ///   - seconds: The limit.
    package func retire(operation: String, seconds: Double) {
        registry.retire(providerName, operation: operation, seconds: seconds)
    }

    /// How long calls may take before they are abandoned. A helper process is ended earlier, at the registry's limits.
    package var limits: CallLimits { registry.limits(of: provider) }

    /// Whether the file's content matches, not only its name.
    package var recognisesContent: Bool { score >= .content }

    /// Whether an error of this decoder excludes decoders that did not recognise the content.
    ///
    /// - Parameter error: What the decoder threw when it opened the file.
    package func isFinal(_ error: any Error) -> Bool {
        guard recognisesContent, case .decodeError? = error as? CoreError else { return false }
        return true
    }

    /// "flac of org.descant.flac (score 95, priority 0)".
    public var summary: String { "\(provider.name) (score \(score.value), priority \(priority))" }
}

/// A file that one of the registry's decoders has opened.
public struct OpenedStream {
    /// The decoder; close the handle when done with it.
    public let decoder: any DecoderPort
    /// The open stream inside the decoder.
    public let handle: DecodeHandle
    /// The stream's shape and length.
    public let info: StreamInfo
    /// The decoder's identifier.
    public let identifier: String
    /// The bundle that provides the decoder; `nil` for the host's own.
    public let plugin: String?
    /// Why this decoder was chosen, and which others were tried, for a person.
    public let reason: String
}

/// No decoder of the registry could open a source.
struct DecodersRefused: Error {
    /// The decoders that were tried, in this order, and what they threw.
    var failures: [(candidate: DecoderCandidate, error: any Error)] = []
    /// Whether one that recognised the content found it damaged, so that no other decoder is to be tried.
    var isFinal = false
}
