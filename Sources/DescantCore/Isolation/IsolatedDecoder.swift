internal import CDescant
package import Foundation
internal import Glibc
internal import Synchronization

/// A decoder that runs in a helper process. Each open stream has a helper of its own.
package final class IsolatedDecoder: DecoderPort, Sendable {
    private let pool: HelperPool
    private let identifier: String
    private let streams = OpenStreams<IsolatedStream>()

    init(_ pool: HelperPool, identifier: String) {
        self.pool = pool
        self.identifier = identifier
    }

    deinit {
        for stream in streams.removeAll() { stream.close(pool) }
    }

    /// Opens a file.
    ///
    /// - Throws: What the decoder throws; ``CoreError/unsupported(_:)`` for what is not a file; ``CoreError/ioError(underlying:)`` when
    ///   the helper crashed or took too long; ``PluginError`` for a bundle that cannot be loaded.
    package func open(url: URL) throws -> DecodeHandle {
        guard url.isFileURL else {
            throw CoreError.unsupported(
                "\(AudioSource.url(url).name): only files can be decoded in a process of their own; copy it into a file"
            )
        }
        let file = try IsolatedFile(url)
        let helper = try pool.acquire()
        let stream: IsolatedStream
        do {
            stream = try IsolatedStream(helper, file, decoder: identifier, limits: pool.limits)
        } catch {
            // A decoder that refused the file may be asked for the next one.
            pool.release(helper)
            throw error
        }
        pool.prepare()
        return streams.add(stream)
    }

    /// Decodes the next frames.
    package func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        guard maxFrames > 0 else { throw CoreError.invalidArgument("maxFrames is \(maxFrames); 1 or more is possible") }
        return try streams[handle].read(into: buffer, maxFrames: maxFrames)
    }

    /// Moves to a position.
    package func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        try streams[handle].seek(toSeconds: seconds)
    }

    /// The shape and length of an open stream.
    package func info(_ handle: DecodeHandle) throws -> StreamInfo { try streams[handle].info }

    /// Closes a handle.
    package func close(_ handle: DecodeHandle) {
        streams.remove(handle)?.close(pool)
    }
}

extension HelperPool {
    /// Scores a file with a decoder.
    ///
    /// - Returns: `nil` for a decoder that does not score.
    /// - Throws: ``CoreError/ioError(underlying:)`` when the helper crashed or took too long; ``PluginError`` for a bundle that cannot be
    ///   loaded.
    func score(_ input: ProbeInput, decoder: String) throws -> ProbeScore? {
        let helper = try acquire()
        defer { release(helper) }
        let request = try HelperMessage(
            .score,
            HelperMessage.ScoreRequest(
                decoder: decoder, header: input.header, fileExtension: input.fileExtension, mimeType: input.mimeType))
        let answer = try helper.exchange(request, limit: limits.score, "while scoring a file")
        return answer.first < 0 ? nil : ProbeScore(Int(clamping: answer.first))
    }
}

/// A file that is opened in this process for a helper.
final class IsolatedFile: Sendable {
    let name: String
    private let file: LocalFile
    var path: String { file.path }

    /// Opens a file.
    ///
    /// - Throws: ``CoreError/notFound(_:)``, ``CoreError/ioError(underlying:)``, also for what is not a file.
    init(_ url: URL) throws {
        name = url.lastPathComponent
        file = try LocalFile(path: url.path)
        try file.examine()
    }

    /// How often a plugin may open the file from one request to the next, and one more.
    private static let openings = 12

    /// Passes descriptors of the file to a closure, each with a position of its own.
    ///
    /// - Throws: ``CoreError/ioError(underlying:)``, and what the closure throws.
    func withDescriptors<Result>(_ body: ([Int32]) throws -> Result) throws -> Result {
        var descriptors: [Int32] = []
        defer { descriptors.forEach { _ = close($0) } }
        while descriptors.count < Self.openings {
            let next = Glibc.open(file.reopeningPath, O_RDONLY | O_CLOEXEC)
            guard next >= 0 else { throw CoreError.opening(path, errno) }
            descriptors.append(next)
        }
        return try body(descriptors)
    }
}

/// An open stream in a helper. Used by one thread at a time.
final class IsolatedStream: Sendable {
    let info: StreamInfo
    private let helper: HelperProcess
    private let file: IsolatedFile
    private var name: String { file.name }
    private let limits: CallLimits
    private let state: Mutex<State>

    private struct State {
        /// The part of the shared memory that is read, how many frames it holds, and how many of them were read.
        var part = 0
        var frames = 0
        var position = 0
        /// What comes behind the frames.
        var failure: CoreError?
        var isOver = false
        /// The request for the other part, if one is under way.
        var pending: UInt32?
        /// Its answer, when it came while something else was asked.
        var settled: HelperMessage?
        /// How many frames the next request asks for: few at first, so that the first sample comes soon.
        var requestSize = 4_096
    }

    /// Opens a file in a helper.
    init(_ helper: HelperProcess, _ file: IsolatedFile, decoder: String, limits: CallLimits) throws {
        self.helper = helper
        self.limits = limits
        self.file = file
        let request = try HelperMessage(.open, HelperMessage.OpenRequest(decoder: decoder, path: file.path))
        let activity = "while opening \(file.name)"
        let answer = try file.withDescriptors {
            try helper.exchange(request, descriptors: $0, limit: limits.open, activity)
        }
        guard answer.payload.count == 32 else { throw helper.misbehaved(activity) }
        info = answer.payload.withUnsafeBytes { bytes in
            StreamInfo(
                duration: bytes.loadUnaligned(fromByteOffset: 0, as: Double.self),
                sampleRate: bytes.loadUnaligned(fromByteOffset: 8, as: Double.self),
                channels: Int(bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)),
                bitDepth: Int(bytes.loadUnaligned(fromByteOffset: 24, as: Int64.self)))
        }
        state = Mutex(State())
        do {
            // The number of channels decides where samples lie.
            try info.validate()
        } catch let error as CoreError {
            helper.end("it described \(file.name) in an impossible way")
            throw error.withMessage("\(helper.name) described \(file.name) in an impossible way: \(error.message)")
        }
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try state.withLock { state in
            while state.position == state.frames {
                if let failure = state.failure { throw failure }
                if state.isOver { return 0 }
                try next(&state)
            }
            let count = min(maxFrames, state.frames - state.position)
            let start = helper.frames.part(state.part) + state.position * info.channels
            buffer.update(from: start, count: count * info.channels)
            state.position += count
            return count
        }
    }

    /// Waits for the next part, and asks for the one behind it.
    private func next(_ state: inout State) throws {
        let activity = "while reading \(name)"
        let part = 1 - state.part
        let answer: HelperMessage
        if let settled = state.settled {
            answer = settled
            state.settled = nil
        } else {
            let request = try state.pending ?? ask(part, state.requestSize, activity)
            state.pending = nil
            answer = try helper.answer(to: request, limit: limits.read, activity)
        }
        guard answer.kind == .frames, (0...Int64(state.requestSize)).contains(answer.first) else {
            throw helper.misbehaved(activity)
        }
        if !answer.payload.isEmpty {
            guard let failure = try? answer.value(HelperFailure.self) else { throw helper.misbehaved(activity) }
            state.failure = failure.error
        }
        state.part = part
        state.frames = Int(answer.first)
        state.position = 0
        state.isOver = answer.second == 1
        guard state.failure == nil, !state.isOver else { return }
        guard state.frames > 0 else { throw helper.misbehaved(activity) }
        state.requestSize = min(state.requestSize * 2, SharedFrames.framesPerPart)
        state.pending = try ask(1 - part, state.requestSize, activity)
    }

    private func ask(_ part: Int, _ frames: Int, _ activity: String) throws -> UInt32 {
        var request = HelperMessage(.read)
        request.first = Int64(part)
        request.second = Int64(frames)
        return try helper.send(request, activity)
    }

    func seek(toSeconds seconds: Double) throws {
        try state.withLock { state in
            try settle(&state)
            var request = HelperMessage(.seek)
            request.number = seconds
            // A decoder may have to open the file again.
            _ = try file.withDescriptors {
                try helper.exchange(
                    request, descriptors: $0, limit: limits.seekLimit(to: seconds), "while seeking in \(name)")
            }
            // After a seek that was refused, what was read goes on.
            state = State(part: state.part)
        }
    }

    /// Waits for the answer that is under way, if any, and keeps it.
    private func settle(_ state: inout State) throws {
        guard let pending = state.pending else { return }
        state.pending = nil
        state.settled = try helper.answer(to: pending, limit: limits.read, "while reading \(name)")
    }

    /// Closes the file; a helper that has done so in order serves the next one.
    func close(_ pool: HelperPool) {
        let isClosed = state.withLock { state in
            guard (try? settle(&state)) != nil else { return false }
            return (try? helper.exchange(HelperMessage(.close), limit: limits.close, "while closing \(name)")) != nil
        }
        if isClosed { pool.release(helper) } else { helper.end("it did not close \(name)") }
    }
}
