internal import DescantCore
internal import Dispatch
internal import Foundation
internal import Synchronization

/// How long the calls of a decoder may take, in seconds. They are for calls that hang: what Descant's own decoders may take is less.
struct DecoderLimits {
    /// Opening a file: that of several bundles, one after another, has limits of its own.
    var open = 60.0
    var read = 20.0
    /// A seek to the start; see ``seek(to:)``.
    var seek = 20.0
    /// How long a command waits for a file to be closed; it is closed later all the same.
    var close = 2.0
    /// The maximum duration of the sound of a stream without an announced length.
    var unannouncedDuration = CallLimits().unannouncedDuration

    /// The limit of a seek: some formats are decoded from the start, by 25 s of sound a second at least.
    func seek(to seconds: Double) -> Double { seek + (seconds.isFinite ? max(0, seconds) / 25 : 0) }
}

/// The decoder and its open stream, used by one thread at a time.
///
/// The calls of the decoder are made on a queue of their own, and nobody waits for one that hangs. Until it returns, further calls fail at once.
final class StreamDecoding: Sendable {
    private struct State {
        var source: DecodedSource?
        /// The decoder's handle.
        var handle: DecodeHandle?
        /// What the service calls the stream, also after it had to be opened again.
        var identity: DecodeHandle?
        var sampleRate = 1.0
        /// The announced length; `nil` for a decoder that checks lengths itself.
        var length: StreamLength?
        /// The frame that the decoder gives next; `nil` when that is not known.
        var nextFrame: Int64?
        var samples: [Float] = []
    }

    private struct Call: Equatable {
        let name: String
        /// In seconds.
        let limit: Double
        let deadline: UInt64

        var hang: CoreError {
            .ioError("the decoder hangs: its \(name) has not returned within \((limit * 10).rounded() / 10) s")
        }
    }

    /// Called only while `state` is locked.
    private let decoder: SharedPort<any DecoderPort>
    /// Called only while `state` is locked.
    private let files: SharedPort<(any FileAccessPort)?>
    /// Locked only on `queue`, so that a call that hangs keeps nobody else.
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "descant.playback.decoder", qos: .userInitiated)
    private let limits: DecoderLimits
    /// The call that the decoder is in; `nil` between two.
    private let running = Mutex<Call?>(nil)
    /// The error of a call that has not returned within its limit.
    private let hang = Mutex<CoreError?>(nil)
    /// Raised when a call begins, when it has returned, and when one hangs.
    private let returns = EventCount()

    init(_ decoder: any DecoderPort, files: (any FileAccessPort)?, limits: DecoderLimits) {
        self.decoder = SharedPort(port: decoder)
        self.files = SharedPort(port: files)
        self.limits = limits
    }

    /// Makes a call on the queue.
    ///
    /// - Parameters:
    ///   - limit: Counts from the beginning of the call, which may wait for the end of another one.
    ///   - late: Receives a result that nobody waited for, on the queue.
    /// - Throws: `CoreError.ioError` when this call, or one before it, has not returned within its limit; what the call throws.
    private func calling<Value: Sendable>(
        _ name: String, limit: Double, late: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @Sendable (StreamDecoding) throws -> Value
    ) throws -> Value {
        let answer = Promise<Result<Value, any Error>>()
        enqueue(name, limit: limit) { [self] in
            let result = Result { try call(self) }
            if !answer.resolve(result), case .success(let value) = result { late(value) }
        }
        while true {
            let seen = returns.raises
            if let result = answer.present { return try result.get() }
            if let error = hang.withLock({ $0 }) { answer.resolve(.failure(error)) }
            let present = running.withLock { $0 }
            guard answer.present == nil, !returns.wait(after: seen, deadline: present?.deadline ?? .max),
                let present, present == running.withLock({ $0 })
            else { continue }
            note(present.hang)
        }
    }

    /// Runs a call behind those before it.
    private func enqueue(_ name: String, limit: Double, _ body: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            running.withLock { $0 = Call(name: name, limit: limit, deadline: EventCount.deadline(in: limit)) }
            returns.raise()
            body()
            running.withLock { $0 = nil }
            returns.raise()
        }
    }

    /// Lets all calls fail until the one that hangs has returned.
    private func note(_ error: CoreError) {
        hang.withLock { $0 = $0 ?? error }
        queue.async { [self] in hang.withLock { $0 = nil } }
        returns.raise()
    }

    /// Opens a file in place of the present one. What the file access refuses is not shown to the decoder.
    func open(url: URL) throws -> LoadedTrack {
        try calling("open", limit: limits.open, late: { [weak self] _ in self?.closeNow() }) { decoding in
            try decoding.openNow(url)
        }
    }

    private func openNow(_ url: URL) throws -> LoadedTrack {
        try state.withLock { state in
            close(&state)
            let source = try DecodedSource(url, files: files.port)
            state.source = source
            return try source.naming {
                let handle = try decoder.port.open(url: source.opened)
                do {
                    let info = try decoder.port.info(handle)
                    try info.validate()
                    let length = decoder.port.checksLength(of: handle) ? nil : StreamLength(info)
                    state = State(
                        source: source, handle: handle, identity: handle, sampleRate: info.sampleRate, length: length,
                        nextFrame: 0)
                    return LoadedTrack(handle: handle, info: info)
                } catch {
                    decoder.port.close(handle)
                    throw error
                }
            }
        }
    }

    /// Closes the stream; behind a call that hangs, when that has returned.
    func close() {
        let isDone = EventCount()
        closeLater { isDone.raise() }
        guard hang.withLock({ $0 == nil }) else { return }
        _ = isDone.wait(after: 0, limit: limits.close)
    }

    /// Closes the stream without waiting for it.
    func closeLater(then done: @escaping @Sendable () -> Void = {}) {
        enqueue("close", limit: limits.open) { [self] in
            closeNow()
            done()
        }
    }

    private func closeNow() { state.withLock { close(&$0) } }

    /// Moves the stream.
    ///
    /// - Parameters:
    ///   - identity: The stream that is meant; nothing happens when it is not open any more.
    ///   - frame: Where to.
    ///   - seconds: The same as the caller put it.
    func seek(_ identity: DecodeHandle, to frame: Int64, seconds: Double) throws {
        try calling("seek", limit: limits.seek(to: seconds)) { decoding in
            try decoding.state.withLock { state in
                guard state.identity == identity else { return }
                try decoding.seek(&state, to: frame, seconds: seconds)
            }
        }
    }

    /// Decodes frames and gives them to a closure.
    ///
    /// - Parameters:
    ///   - identity: The stream that is meant.
    ///   - frame: The first frame that is wanted; the stream is moved there if it is elsewhere.
    ///   - frames: How many at most.
    ///   - body: Receives what was decoded, no sample at the end of the stream; not called for a stream that was closed. A read that hung
    ///     calls it late.
    /// - Throws: The errors of the decoder, and `CoreError.decodeError` for a stream without a frame, for an impossible number of frames,
    ///   and for a length that is far from the announced one.
    func read(
        _ identity: DecodeHandle, at frame: Int64, frames: Int, channels: Int,
        _ body: @escaping @Sendable (UnsafeBufferPointer<Float>) -> Void
    ) throws {
        let read = { [self] in
            try calling("read", limit: limits.read) { decoding in
                try decoding.readNow(identity, at: frame, frames: frames, channels: channels, body)
            }
        }
        guard let seconds = try read() else { return }
        try seek(identity, to: frame, seconds: seconds)
        // One that is moved again meanwhile is read by a later call.
        _ = try read()
    }

    /// - Returns: Where the stream has to be moved before it can be read, in seconds; `nil` when it was read.
    private func readNow(
        _ identity: DecodeHandle, at frame: Int64, frames: Int, channels: Int,
        _ body: (UnsafeBufferPointer<Float>) -> Void
    ) throws -> Double? {
        try state.withLock { state in
            guard state.identity == identity else { return nil }
            guard state.nextFrame == frame else { return Double(frame) / state.sampleRate }
            guard let handle = state.handle, let source = state.source else {
                throw CoreError.invalidState("the stream could not be opened again")
            }
            if state.samples.count < frames * channels {
                state.samples = [Float](repeating: 0, count: frames * channels)
            }
            let (nextFrame, length, sampleRate) = (state.nextFrame, state.length, state.sampleRate)
            // An error leaves the decoder somewhere; the next read has to seek.
            state.nextFrame = nil
            let read = try state.samples.withUnsafeMutableBufferPointer { buffer -> Int in
                guard let start = buffer.baseAddress else { return 0 }
                let name = { AudioSource.url(source.url).name }
                let given = try source.naming { try decoder.port.read(handle, into: start, maxFrames: frames) }
                let read = try DecodedSamples.checked(given, of: frames, from: name())
                if read == 0, frame == 0 { throw CoreError.withoutSound(name()) }
                if let length { try check(length, at: frame, read: read, sampleRate, name()) }
                DecodedSamples.silenceInvalid(start, count: read * channels)
                body(UnsafeBufferPointer(start: start, count: read * channels))
                return read
            }
            state.nextFrame = nextFrame.map { $0 + Int64(read) }
            return nil
        }
    }

    /// Compares a read with the announced length: a stream that does not end would be written to a file until the disk is full.
    private func check(
        _ length: StreamLength, at frame: Int64, read: Int, _ sampleRate: Double,
        _ name: @autoclosure () -> String
    ) throws(CoreError) {
        let rate = Int(sampleRate.rounded())
        let error =
            read == 0
            ? length.shortage(at: frame, sampleRate: rate, from: name())
            : length.excess(
                at: frame + Int64(read), sampleRate: rate, unannouncedDuration: limits.unannouncedDuration, from: name()
            )
        if let error { throw error }
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
/// is kept, or while a flag behind that lock keeps all others from calling it.
struct SharedPort<Port>: @unchecked Sendable {
    let port: Port
}
