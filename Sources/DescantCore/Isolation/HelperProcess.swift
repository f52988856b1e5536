internal import CDescant
internal import Foundation
internal import Glibc
internal import Synchronization

/// A helper process that serves one bundle, its socket and the memory shared with it. Ends with this object.
///
/// Used by one thread at a time; ``end(_:)`` and ``post(_:)`` may be called from others. Every wait has a limit, after which the helper is
/// killed.
final class HelperProcess: Sendable {
    let frames: SharedFrames
    /// The plugin in errors.
    let name: String

    private let process: descant_helper
    /// Opens files for the helper; `nil` when it may read none.
    private let files: FileServer?
    private let state = Mutex(State())

    /// How the start of a helper ended.
    enum Greeting {
        case loaded
        /// The plugin could not be loaded.
        case failed(HelperFailure)
        /// It was killed because it took too long.
        case overdue(CoreError)
    }

    private struct State {
        var sequence: UInt32 = 0
        /// Why the helper is of no use any more.
        var end: String?
    }

    /// How long a helper that has closed its socket may take to end, in milliseconds.
    private static let endLimit: Int32 = 5_000

    /// Starts a helper.
    ///
    /// - Parameters:
    ///   - program: The helper program.
    ///   - arguments: What it serves, and its limits.
    ///   - readable: The folders that it may read; `nil` for none.
    ///   - name: The plugin in errors.
    /// - Throws: ``CoreError/ioError(underlying:)``.
    init(program: String, arguments: [String], readable: [String]? = nil, name: String) throws {
        let files = try readable.map { try FileServer($0, name: name) }
        let memory = descant_shared_memory(SharedFrames.size)
        guard memory >= 0 else { throw Self.failure(name, "no shared memory", errno) }
        defer { close(memory) }
        let address = mmap(nil, SharedFrames.size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)
        guard let address, address != MAP_FAILED else { throw Self.failure(name, "no shared memory", errno) }
        var texts = ([program] + arguments).map { strdup($0) }
        defer { texts.forEach { free($0) } }
        texts.append(nil)
        var started = descant_helper()
        let result = descant_helper_start(program, texts, memory, files?.helperEnd ?? -1, &started)
        guard result == 0 else {
            munmap(address, SharedFrames.size)
            throw Self.failure(name, "\(program) cannot be started", result)
        }
        process = started
        self.files = files
        files?.start()
        frames = SharedFrames(address: address)
        self.name = name
    }

    deinit {
        end("it is not needed any more")
        files?.waitUntilEnded()
        close(process.socket)
        close(process.handle)
        munmap(frames.address, SharedFrames.size)
    }

    /// The number of the process.
    var identifier: pid_t { process.process }

    /// Whether the helper can take a request.
    var isUsable: Bool {
        guard state.withLock({ $0.end }) == nil else { return false }
        // Between requests there is nothing to receive: whatever comes is the end, or a message nobody asked for.
        return descant_wait_readable(process.socket, 0) == 0
    }

    /// Kills the helper and takes its exit status, so that nothing of it is left.
    ///
    /// - Parameter reason: Why, for later calls.
    func end(_ reason: String) {
        let isFirst = state.withLock { state in
            defer { state.end = state.end ?? reason }
            return state.end == nil
        }
        guard isFirst else { return }
        descant_helper_kill(process)
        var status: Int32 = 0
        _ = descant_helper_wait(process, -1, &status)
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - descriptors: What travels with it.
    ///   - limit: How long the answer may take, in seconds.
    ///   - activity: What the helper does, in errors: "while reading a.hum".
    /// - Throws: ``CoreError/ioError(underlying:)`` when the helper crashed, took too long or sent something else; the plugin's error.
    func exchange(
        _ request: HelperMessage, descriptors: [Int32] = [], limit: Double, _ activity: String
    ) throws -> HelperMessage {
        try answer(to: try send(request, descriptors: descriptors, activity), limit: limit, activity)
    }

    /// Sends a request.
    ///
    /// - Returns: Its number.
    func send(_ request: HelperMessage, descriptors: [Int32] = [], _ activity: String) throws -> UInt32 {
        var message = request
        message.sequence = try state.withLock { state in
            if let end = state.end { throw broken(end, activity) }
            state.sequence &+= 1
            return state.sequence
        }
        guard let bytes = message.bytes else {
            throw CoreError.invalidArgument("\(name): what it is asked for is too long \(activity)")
        }
        let result = descant_send(process.socket, bytes, bytes.count, descriptors, Int32(descriptors.count))
        if result == EPIPE || result == ECONNRESET { throw died(activity) }
        guard result == 0 else {
            end("it took no request")
            throw Self.failure(name, "it took no request \(activity)", result)
        }
        return message.sequence
    }

    /// Sends a request without waiting for anything, also when the helper has ended: the wait for an answer finds out why.
    ///
    /// - Returns: Its number; `nil` when the helper did not take it.
    func post(_ request: HelperMessage) -> UInt32? {
        let sequence = state.withLock { state -> UInt32? in
            guard state.end == nil else { return nil }
            state.sequence &+= 1
            return state.sequence
        }
        guard let sequence else { return nil }
        var message = request
        message.sequence = sequence
        guard let bytes = message.bytes else { return nil }
        return descant_send(process.socket, bytes, bytes.count, nil, 0) == 0 ? sequence : nil
    }

    /// Waits until a new helper has loaded what it serves.
    ///
    /// - Parameter limit: How long that may take, in seconds.
    /// - Throws: ``CoreError/ioError(underlying:)`` when the helper crashed or sent something else.
    func greeting(limit: Double) throws -> Greeting {
        let activity = "while it was loaded"
        guard try hasAnswer(within: limit, activity) else { return .overdue(overdue(limit, activity)) }
        let greeting = try receive(0, activity)
        return greeting.kind == .failed ? .failed(try failure(in: greeting, activity)) : .loaded
    }

    /// Waits for the answer to a request.
    ///
    /// - Parameter sequence: The request's number.
    /// - Throws: As ``exchange(_:descriptors:limit:_:)``.
    func answer(to sequence: UInt32, limit: Double, _ activity: String) throws -> HelperMessage {
        guard try hasAnswer(within: limit, activity) else { throw overdue(limit, activity) }
        let answer = try receive(sequence, activity)
        guard answer.kind == .failed else { return answer }
        let failure = try failure(in: answer, activity)
        throw failure.error
    }

    /// Waits for a message, or the end of the helper.
    private func hasAnswer(within limit: Double, _ activity: String) throws -> Bool {
        if let end = state.withLock({ $0.end }) { throw broken(end, activity) }
        // A limit of more than 20 days is none.
        let milliseconds = Int32(min(max(limit, 0) * 1_000, Double(Int32.max)).rounded(.up))
        return descant_wait_readable(process.socket, milliseconds) != 0
    }

    /// Ends a helper that takes too long.
    private func overdue(_ limit: Double, _ activity: String) -> CoreError {
        let text = "it did not answer within \(limit) s \(activity)"
        end(text)
        return .ioError("\(name) was ended: \(text)")
    }

    /// Reads the answer to a request.
    private func receive(_ sequence: UInt32, _ activity: String) throws -> HelperMessage {
        let answer: HelperMessage? = try withUnsafeTemporaryAllocation(
            byteCount: HelperMessage.maximumLength, alignment: 8
        ) { buffer in
            let count = descant_receive(process.socket, buffer.baseAddress, buffer.count, nil, nil)
            if count == 0 || count < 0 && errno == ECONNRESET { throw died(activity) }
            return count < 0 ? nil : HelperMessage(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard let answer, answer.sequence == sequence else { throw misbehaved(activity) }
        switch answer.kind {
        case .done, .frames, .speech, .failed: return answer
        default: throw misbehaved(activity)
        }
    }

    private func failure(in answer: HelperMessage, _ activity: String) throws -> HelperFailure {
        guard let failure = try? answer.value(HelperFailure.self) else { throw misbehaved(activity) }
        return failure
    }

    /// Ends a helper whose answer is not one.
    ///
    /// - Parameters:
    ///   - activity: What it did.
    ///   - fault: What is the matter with the answer.
    func misbehaved(_ activity: String, _ fault: String = "it sent something else than an answer") -> CoreError {
        let text = "\(fault) \(activity)"
        end(text)
        return .ioError("\(name) was ended: \(text)")
    }

    /// The error for a helper that has closed its socket.
    private func died(_ activity: String) -> CoreError {
        // Another thread may have ended it while its answer was awaited.
        if let end = state.withLock({ $0.end }) { return broken(end, activity) }
        var status: Int32 = 0
        let outcome = descant_helper_wait(process, Self.endLimit, &status)
        guard outcome != 0 else {
            let text = "it closed its connection \(activity)"
            end(text)
            return .ioError("\(name) was ended: \(text)")
        }
        let signal = status & 0x7f
        let text =
            if outcome < 0 {
                "ended"
            } else if signal == 0 {
                "ended by itself (status \(status >> 8 & 0xff))"
            } else {
                "crashed (\(String(cString: descant_signal_name(signal))))"
            }
        state.withLock { $0.end = $0.end ?? "it \(text) \(activity)" }
        return .ioError("\(name) \(text) \(activity)")
    }

    private func broken(_ reason: String, _ activity: String) -> CoreError {
        .ioError("\(name) cannot go on \(activity): \(reason)")
    }

    private static func failure(_ name: String, _ what: String, _ code: Int32) -> CoreError {
        .ioError("\(name): \(what): \(String(cString: strerror(code)))")
    }
}
