public import Foundation
internal import Dispatch

/// Decodes with whichever decoder fits a file: those of installed bundles by content first, then another one.
///
/// Which bundle opens a file, and when the next one is tried, is as ``PluginRegistry/open(_:mimeType:)`` says. The other decoder gets
/// what they leave; a file that a bundle has recognised by its content and found damaged is not given to it. Calls into bundles end at
/// the registry's limits (``CallLimits``): a bundle whose call has not returned by then is not used again.
///
/// Different handles may be used by different threads at once. Every call may block.
public final class RegistryDecoder: DecoderPort, Sendable {
    /// An open stream of a bundle's decoder or of the other one.
    private enum Stream: Sendable {
        case bundle(BundleStream)
        case fallback(any DecoderPort & Sendable, DecodeHandle)
    }

    private let plugins: PluginRegistry
    private let fallback: (any DecoderPort & Sendable)?
    private let gate: @Sendable (ProbeInput) -> String?
    private let streams = OpenStreams<Stream>()

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - plugins: The registry whose decoders are tried.
    ///   - fallback: The decoder for what no bundle opens; `nil` for none.
    ///   - gate: Why the host does not let a file be played, for a person; `nil` when it may be. It is asked before a decoder is, with
    ///     the first bytes of a file, or those behind its ID3v2 tags (``ProbeInput/header``), so that a file's name decides nothing; of a
    ///     network address only the extension is known.
    public init(
        _ plugins: PluginRegistry, fallback: (any DecoderPort & Sendable)? = nil,
        gate: @escaping @Sendable (ProbeInput) -> String? = { _ in nil }
    ) {
        self.plugins = plugins
        self.fallback = fallback
        self.gate = gate
    }

    /// Opens a file or stream.
    ///
    /// - Parameter url: A file URL, or one whose scheme a decoder declares.
    /// - Throws: ``CoreError/unsupported(_:)`` with the gate's reason, or when no decoder is for it; otherwise ``CoreError`` of the
    ///   decoders, naming the file and every decoder that was tried.
    public func open(url: URL) throws -> DecodeHandle {
        let name = AudioSource.url(url).name
        let source = try ProbedSource(url)
        if let reason = gate(source.input) { throw CoreError.unsupported("\(name): \(reason)") }
        let stream: Stream
        do {
            let (opened, candidate) = try plugins.open(url, source)
            stream = .bundle(BundleStream(opened, candidate, name: name, limits: candidate.limits))
        } catch let refused as DecodersRefused {
            stream = try openWithFallback(url, name, source.input, after: refused)
        }
        return streams.add(stream)
    }

    private func openWithFallback(
        _ url: URL, _ name: String, _ input: ProbeInput, after refused: DecodersRefused
    ) throws -> Stream {
        guard let fallback, !refused.isFinal else {
            throw PluginRegistry.refusal(name, refused.failures, plugins.unusable(url, input))
        }
        // Noise passes for some formats, so that a file for a bundle out of use would be heard as noise.
        if refused.failures.allSatisfy({ $0.error is PluginError }), let recognizer = fallback as? any ContentRecognizer
        {
            let unusable = plugins.unusable(url, input)
            if !unusable.isEmpty, !recognizer.recognises(url) { throw PluginRegistry.refusal(name, [], unusable) }
        }
        do {
            return .fallback(fallback, try fallback.open(url: url))
        } catch let error as CoreError {
            let tried = refused.failures.map {
                "; tried before: \($0.candidate.identifier): \(CoreError.reason(of: $0.error, about: name))"
            }
            throw error.withMessage(error.message + tried.joined() + plugins.unusable(url, input))
        }
    }

    /// Decodes the next frames.
    ///
    /// - Parameters:
    ///   - handle: An open handle.
    ///   - buffer: Room for `maxFrames` × channels samples.
    ///   - maxFrames: The maximum number of frames to write; greater than 0.
    /// - Returns: The number of frames written; 0 at the end of the stream and from then on.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed handle, ``CoreError/ioError(underlying:)`` after the time limit, and what the
    ///   decoder throws.
    public func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        guard maxFrames > 0 else { throw CoreError.invalidArgument("maxFrames is \(maxFrames); 1 or more is possible") }
        switch try streams[handle] {
        case .bundle(let stream): return try stream.read(into: buffer, maxFrames: maxFrames)
        case .fallback(let decoder, let inner): return try decoder.read(inner, into: buffer, maxFrames: maxFrames)
        }
    }

    /// Moves to a position, exact to the frame.
    ///
    /// - Parameters:
    ///   - handle: An open handle.
    ///   - seconds: 0…duration, in seconds; the duration itself leads to the end.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed handle, ``CoreError/ioError(underlying:)`` after the time limit, and what the
    ///   decoder throws.
    public func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        switch try streams[handle] {
        case .bundle(let stream): try stream.seek(toSeconds: seconds)
        case .fallback(let decoder, let inner): try decoder.seek(inner, toSeconds: seconds)
        }
    }

    /// The shape and length of an open stream.
    ///
    /// - Parameter handle: An open handle.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed handle.
    public func info(_ handle: DecodeHandle) throws -> StreamInfo {
        switch try streams[handle] {
        case .bundle(let stream): return stream.info
        case .fallback(let decoder, let inner): return try decoder.info(inner)
        }
    }

    /// Closes a handle; harmless on a closed one.
    ///
    /// - Parameter handle: The handle to close.
    public func close(_ handle: DecodeHandle) {
        switch streams.remove(handle) {
        case .bundle(let stream): stream.close()
        case .fallback(let decoder, let inner): decoder.close(inner)
        case nil: break
        }
    }

    /// Which decoder serves an open stream and why, for a person.
    ///
    /// - Parameter handle: An open handle.
    /// - Returns: `nil` for a stream of the decoder that comes after the bundles.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed handle.
    public func reason(_ handle: DecodeHandle) throws -> String? {
        guard case .bundle(let stream) = try streams[handle] else { return nil }
        return stream.reason
    }

    /// Whether an open stream is one of the decoder after the bundles, which checks its length itself.
    func isCheckedByFallback(_ handle: DecodeHandle) -> Bool {
        guard case .fallback(let decoder, let inner)? = try? streams[handle] else { return false }
        return decoder.checksLength(of: inner)
    }
}

/// A stream of a bundle's decoder, which is called on a queue of its own and within the registry's limits.
private final class BundleStream: Sendable {
    /// Reaches the decoder, which need not be `Sendable`.
    ///
    /// Unchecked, and safe: after the opening, the decoder and the block are used on the stream's serial queue only, and by the waiting
    /// caller when a call on it has ended.
    private final class Decoding: @unchecked Sendable {
        let decoder: any DecoderPort
        let handle: DecodeHandle
        /// Where the decoder writes: a call that returns after its limit must not write into memory of the caller's.
        var block: [Float] = []

        init(_ opened: OpenedStream) {
            decoder = opened.decoder
            handle = opened.handle
        }
    }

    let info: StreamInfo
    let reason: String
    private let name: String
    private let limits: CallLimits
    private let candidate: DecoderCandidate
    private let decoding: Decoding
    private let queue = DispatchQueue(label: "descant.decoder.bundle", qos: .userInitiated)

    init(_ opened: OpenedStream, _ candidate: DecoderCandidate, name: String, limits: CallLimits) {
        info = opened.info
        reason = opened.reason
        decoding = Decoding(opened)
        self.candidate = candidate
        self.name = name
        self.limits = limits
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let channels = info.channels
        let frames = try call("read", limits.read) { decoding in
            if decoding.block.count < maxFrames * channels {
                decoding.block = [Float](repeating: 0, count: maxFrames * channels)
            }
            return try decoding.block.withUnsafeMutableBufferPointer { block in
                guard let start = block.baseAddress else { return 0 }
                return try decoding.decoder.read(decoding.handle, into: start, maxFrames: maxFrames)
            }
        }
        let count = try DecodedSamples.checked(frames, of: maxFrames, from: candidate.identifier)
        decoding.block.withUnsafeBufferPointer { block in
            guard let start = block.baseAddress else { return }
            buffer.update(from: start, count: count * channels)
        }
        return count
    }

    func seek(toSeconds seconds: Double) throws {
        try call("seek", limits.seekLimit(to: seconds)) { try $0.decoder.seek($0.handle, toSeconds: seconds) }
    }

    /// Closes the stream without waiting for it. A bundle whose close exceeds its limit is not used again.
    func close() {
        queue.async { [decoding, candidate, limits] in
            // The limit counts from here: an earlier call that hangs on this queue has been reported by its own name.
            let outcome = Promise<Bool> { isInTime in
                if !isInTime { candidate.retire(operation: "close", seconds: limits.close) }
            }
            outcome.resolve(false, after: limits.close)
            decoding.decoder.close(decoding.handle)
            outcome.resolve(true)
        }
    }

    private func call<Value: Sendable>(
        _ operation: String, _ limit: Double, _ body: @escaping @Sendable (Decoding) throws -> Value
    ) throws -> Value {
        do {
            return try candidate.registry.limited(candidate.provider, operation, limit, on: queue) { [decoding] in
                try body(decoding)
            }
        } catch let overdue as PluginError {
            throw CoreError.ioError("\(name): \(overdue)")
        }
    }
}
