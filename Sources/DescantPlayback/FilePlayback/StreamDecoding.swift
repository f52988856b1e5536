internal import DescantCore
internal import Foundation
internal import Synchronization

/// The decoder and its open stream, used by one thread at a time.
final class StreamDecoding: Sendable {
    private struct State {
        var source: DecodedSource?
        /// The decoder's handle.
        var handle: DecodeHandle?
        /// What the service calls the stream, also after it had to be opened again.
        var identity: DecodeHandle?
        var sampleRate = 1.0
        /// The frame that the decoder gives next; `nil` when that is not known.
        var nextFrame: Int64?
        var samples: [Float] = []
    }

    /// Called only while `state` is locked.
    private let decoder: SharedPort<any DecoderPort>
    /// Called only while `state` is locked.
    private let files: SharedPort<(any FileAccessPort)?>
    private let state = Mutex(State())

    init(_ decoder: any DecoderPort, files: (any FileAccessPort)?) {
        self.decoder = SharedPort(port: decoder)
        self.files = SharedPort(port: files)
    }

    deinit { close() }

    /// Opens a file in place of the present one. What the file access refuses is not shown to the decoder.
    func open(url: URL) throws -> LoadedTrack {
        try state.withLock { state in
            close(&state)
            let source = try DecodedSource(url, files: files.port)
            state.source = source
            return try source.naming {
                let handle = try decoder.port.open(url: source.opened)
                do {
                    let info = try decoder.port.info(handle)
                    try info.validate()
                    state = State(
                        source: source, handle: handle, identity: handle, sampleRate: info.sampleRate, nextFrame: 0)
                    return LoadedTrack(handle: handle, info: info)
                } catch {
                    decoder.port.close(handle)
                    throw error
                }
            }
        }
    }

    func close() { state.withLock { close(&$0) } }

    /// Moves the stream.
    ///
    /// - Parameters:
    ///   - identity: The stream that is meant; nothing happens when it is not open any more.
    ///   - frame: Where to.
    ///   - seconds: The same as the caller put it.
    func seek(_ identity: DecodeHandle, to frame: Int64, seconds: Double) throws {
        try state.withLock { state in
            guard state.identity == identity else { return }
            try seek(&state, to: frame, seconds: seconds)
        }
    }

    /// Decodes frames and gives them to a closure.
    ///
    /// - Parameters:
    ///   - identity: The stream that is meant.
    ///   - frame: The first frame that is wanted; the stream is moved there if it is elsewhere.
    ///   - frames: How many at most.
    ///   - body: Receives what was decoded, no sample at the end of the stream; not called for a stream that was closed.
    /// - Throws: The errors of the decoder, and `CoreError.decodeError` for a stream without a frame.
    func read(
        _ identity: DecodeHandle, at frame: Int64, frames: Int, channels: Int,
        _ body: (UnsafeBufferPointer<Float>) -> Void
    ) throws {
        try state.withLock { state in
            guard state.identity == identity else { return }
            if state.nextFrame != frame {
                try seek(&state, to: frame, seconds: Double(frame) / state.sampleRate)
            }
            guard let handle = state.handle, let source = state.source else {
                throw CoreError.invalidState("the stream could not be opened again")
            }
            if state.samples.count < frames * channels {
                state.samples = [Float](repeating: 0, count: frames * channels)
            }
            let nextFrame = state.nextFrame
            // An error leaves the decoder somewhere; the next read has to seek.
            state.nextFrame = nil
            let read = try state.samples.withUnsafeMutableBufferPointer { buffer -> Int in
                guard let start = buffer.baseAddress else { return 0 }
                let given = try source.naming { try decoder.port.read(handle, into: start, maxFrames: frames) }
                let read = min(frames, max(0, given))
                if read == 0, frame == 0 { throw CoreError.withoutSound(AudioSource.url(source.url).name) }
                body(UnsafeBufferPointer(start: start, count: read * channels))
                return read
            }
            state.nextFrame = nextFrame.map { $0 + Int64(read) }
        }
    }

    private func seek(_ state: inout State, to frame: Int64, seconds: Double) throws {
        guard let handle = state.handle, let source = state.source else { return }
        try source.naming {
            do {
                try decoder.port.seek(handle, toSeconds: seconds)
            } catch CoreError.unsupported(let reason) {
                guard frame == 0 else { throw CoreError.unsupported(reason) }
                // A stream that cannot be moved can still be begun again.
                decoder.port.close(handle)
                state.handle = nil
                state.handle = try decoder.port.open(url: source.opened)
            }
        }
        state.nextFrame = frame
    }

    private func close(_ state: inout State) {
        if let handle = state.handle { decoder.port.close(handle) }
        if let token = state.source?.token { files.port?.close(token) }
        state.source = nil
        state.handle = nil
        state.identity = nil
        state.nextFrame = nil
    }
}

/// What a decoder reads: a URL, or the file that a file access has opened under it.
private struct DecodedSource {
    /// The URL that was asked for.
    let url: URL
    /// The URL that the decoder opens.
    let opened: URL
    /// The open file, which stays open as long as the decoder reads it; `nil` without a file access.
    let token: FileHandleToken?

    /// Asks the file access.
    ///
    /// - Throws: What the file access throws for a URL that it refuses.
    init(_ url: URL, files: (any FileAccessPort)?) throws {
        self.url = url
        token = try files?.open(url: url)
        guard let token, let reopenable = files as? any ReopenableFileAccess else {
            opened = url
            return
        }
        do {
            opened = try reopenable.reopeningURL(of: token)
        } catch {
            reopenable.close(token)
            throw error
        }
    }

    /// Runs a call of the decoder, whose errors then have the name that was asked for.
    func naming<Result>(_ call: () throws -> Result) throws -> Result {
        do {
            return try call()
        } catch let error as CoreError where opened != url && error.message.contains(opened.path) {
            throw error.withMessage(error.message.replacingOccurrences(of: opened.path, with: url.path))
        }
    }
}

/// A port of the host's, which need not be `Sendable`.
///
/// Safe to share: the service calls a port only while it holds one and the same lock, the one that is named where the port
/// is kept.
struct SharedPort<Port>: @unchecked Sendable {
    let port: Port
}
