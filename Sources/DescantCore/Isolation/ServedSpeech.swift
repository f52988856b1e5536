internal import Dispatch
internal import Foundation
internal import Synchronization

/// The synthesizers in a helper. Speaks one request at a time.
final class ServedSpeech {
    /// How many marks, or warnings, fit into a message.
    private static let marksPerMessage = 200
    private static let warningsPerMessage = 16
    /// The longest text of a warning, in bytes, of which JSON may need six for one. A character may have any number.
    private static let longestWarning = 300

    private let served: ServedPlugins
    private let connection: HelperConnection
    private let frames: SharedFrames
    private var synthesizers: [String: any SpeechSynthesizer] = [:]
    private var current: Speaking?

    init(_ served: ServedPlugins, connection: HelperConnection, frames: SharedFrames) {
        self.served = served
        self.connection = connection
        self.frames = frames
    }

    /// Carries out any request but ``HelperMessage/Kind/sound``.
    func perform(_ request: HelperMessage) throws -> HelperMessage {
        switch request.kind {
        case .synthesizer:
            return try HelperMessage(.done, synthesizer(String(decoding: request.payload, as: UTF8.self)).capabilities)
        case .voices:
            let synthesizer = try synthesizer(String(decoding: request.payload, as: UTF8.self))
            return try write(Array(JSONEncoder().encode(Self.wait { try await synthesizer.voices() })))
        case .prepare:
            let (name, request) = try speechRequest(request)
            let synthesizer = try synthesizer(name)
            try Self.wait { try await synthesizer.prepare(request) }
        case .speak:
            stop()
            let (name, request) = try speechRequest(request)
            current = Speaking(try synthesizer(name), request, connection: connection, frames: frames)
        default: stop()
        }
        return HelperMessage(.done)
    }

    /// Answers a request with the next sound, as soon as there is some.
    func send(to sequence: UInt32) throws {
        guard let current else { throw CoreError.invalidState("nothing is spoken in this helper") }
        current.send(to: sequence)
    }

    private func stop() {
        current?.stop()
        current = nil
    }

    private func synthesizer(_ name: String) throws -> any SpeechSynthesizer {
        if let known = synthesizers[name] { return known }
        guard let made = try served.synthesizer(name) else {
            throw CoreError.unsupported("\(served.name) has no synthesizer \(name)")
        }
        synthesizers[name] = made
        return made
    }

    private func speechRequest(_ message: HelperMessage) throws -> (String, SpeechRequest) {
        let wanted = try message.value(HelperMessage.SpeakRequest.self)
        guard (0...Int64(SharedFrames.size)).contains(message.first) else {
            throw CoreError.invalidArgument("a text of \(message.first) bytes")
        }
        let text = String(
            decoding: UnsafeRawBufferPointer(start: frames.address, count: Int(message.first)), as: UTF8.self)
        return (
            wanted.synthesizer,
            SpeechRequest(
                text: text, voice: wanted.voice, language: wanted.language, rate: Double(bitPattern: wanted.rate),
                pitch: Double(bitPattern: wanted.pitch))
        )
    }

    /// Puts bytes into the shared memory.
    private func write(_ bytes: [UInt8]) throws -> HelperMessage {
        guard bytes.count <= SharedFrames.size else {
            throw CoreError.unsupported("\(served.name): a list of voices of more than \(SharedFrames.size) bytes")
        }
        UnsafeMutableRawBufferPointer(start: frames.address, count: bytes.count).copyBytes(from: bytes)
        var answer = HelperMessage(.done)
        answer.first = Int64(bytes.count)
        return answer
    }

    /// Blocks this thread, which no task runs on, until asynchronous work has ended. The host has the time limit.
    private static func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        Task {
            do { outcome.resolve(.success(try await work())) } catch { outcome.resolve(.failure(error)) }
        }
        return try outcome.value.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, any Error>?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func resolve(_ value: Result<Value, any Error>) {
            result.withLock { $0 = value }
            isThere.signal()
        }

        var value: Result<Value, any Error> {
            while true {
                isThere.wait()
                if let value = result.withLock({ $0 }) { return value }
            }
        }
    }

    // MARK: Speaking

    /// One request.
    private final class Speaking: Sendable {
        private let connection: HelperConnection
        private let frames: SharedFrames
        private let requests: AsyncStream<Void>.Continuation
        /// The request for sound that is not answered yet.
        private let waiting = Mutex<UInt32?>(nil)
        private let running = DispatchGroup()
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(
            _ synthesizer: any SpeechSynthesizer, _ request: SpeechRequest, connection: HelperConnection,
            frames: SharedFrames
        ) {
            self.connection = connection
            self.frames = frames
            let (wanted, requests) = AsyncStream<Void>.makeStream()
            self.requests = requests
            running.enter()
            let task = Task { [self] in
                await speak(synthesizer, request, wanted)
                running.leave()
            }
            self.task.withLock { $0 = task }
        }

        func send(to sequence: UInt32) {
            waiting.withLock { $0 = sequence }
            requests.yield()
        }

        /// Cancels the synthesis, and answers the request that waits for sound.
        func stop() {
            task.withLock { $0 }?.cancel()
            requests.finish()
            running.wait()
            answer(Self.end)
        }

        private static var end: HelperMessage {
            var message = HelperMessage(.speech)
            message.second = 1
            return message
        }

        private func answer(_ message: HelperMessage) {
            let sequence = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            if let sequence { connection.send(message, to: sequence) }
        }

        private func speak(
            _ synthesizer: any SpeechSynthesizer, _ request: SpeechRequest, _ wanted: AsyncStream<Void>
        ) async {
            var requests = wanted.makeAsyncIterator()
            var last = Self.end
            var sent: Int64 = 0
            do {
                for try await chunk in synthesizer.synthesize(request) {
                    for piece in ServedSpeech.pieces(of: chunk, behind: sent) {
                        guard await requests.next() != nil else { return }
                        answer(try message(piece))
                    }
                    sent += Int64(chunk.samples.count)
                }
            } catch {
                last = HelperMessage(.failed, payload: HelperFailure(error).payload)
                // The host may wait for an answer whose request was taken from `requests` before the error.
                // A stop answers it itself.
                if !Task.isCancelled { answer(last) }
            }
            while await requests.next() != nil { answer(last) }
        }

        private func message(_ piece: SpeechChunk) throws -> HelperMessage {
            var message = try HelperMessage(
                .speech, HelperMessage.SpeechNotes(marks: piece.marks, warnings: piece.warnings))
            guard message.bytes != nil else {
                throw CoreError.ioError("there are more marks than \(HelperMessage.maximumLength) bytes hold")
            }
            piece.samples.withUnsafeBufferPointer { samples in
                if let start = samples.baseAddress { frames.speech.update(from: start, count: samples.count) }
            }
            message.first = Int64(piece.samples.count)
            message.number = Double(piece.sampleRate)
            return message
        }
    }

    /// The parts of a chunk that a message each can carry. Almost every chunk has one.
    ///
    /// - Parameters:
    ///   - chunk: The chunk.
    ///   - frames: How many frames came before it.
    static func pieces(of chunk: SpeechChunk, behind frames: Int64) -> [SpeechChunk] {
        let empty = SpeechChunk(samples: [], sampleRate: chunk.sampleRate)
        var pieces = stride(from: 0, to: chunk.warnings.count, by: warningsPerMessage).map { start in
            var piece = empty
            piece.warnings = chunk.warnings[start...].prefix(warningsPerMessage).map { warning in
                var short = warning
                short.message = String(decoding: warning.message.utf8.prefix(longestWarning), as: UTF8.self)
                return short
            }
            return piece
        }
        if chunk.samples.count <= SharedFrames.speechLength, chunk.marks.count <= marksPerMessage {
            let hasSound = !chunk.samples.isEmpty || !chunk.marks.isEmpty
            let body = SpeechChunk(samples: chunk.samples, sampleRate: chunk.sampleRate, marks: chunk.marks)
            return hasSound || pieces.isEmpty ? pieces + [body] : pieces
        }
        var marks = chunk.marks[...]
        var start = 0
        repeat {
            var piece = empty
            piece.samples = Array(chunk.samples[start...].prefix(SharedFrames.speechLength))
            start += piece.samples.count
            // Each part has the marks in it, and the last one what is left.
            let end = frames + Int64(start)
            var due = start == chunk.samples.count ? marks : marks.prefix { $0.frame < end }
            marks = marks.dropFirst(due.count)
            while due.count > marksPerMessage {
                var before = empty
                before.marks = Array(due.prefix(marksPerMessage))
                due = due.dropFirst(marksPerMessage)
                pieces.append(before)
            }
            piece.marks = Array(due)
            pieces.append(piece)
        } while start < chunk.samples.count
        return pieces
    }
}
