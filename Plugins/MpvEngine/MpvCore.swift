internal import CMpv
internal import Descant
internal import Dispatch
internal import Foundation
internal import Synchronization

/// One mpv core: commands and properties with a time limit, and its events in order.
///
/// Every request is asynchronous on libmpv's side too, so that a core that waits for a network or a sound server blocks no thread
/// of the host. The core ends when this object is released.
final class MpvCore: Sendable {
    /// What the core reports.
    enum Event: Sendable {
        /// An error or warning in the words of mpv or FFmpeg, such as "ffmpeg: tcp: Connection to tcp://host:80 failed: Connection
        /// refused".
        case problem(String, isError: Bool)
        /// A file is open.
        case loaded(entry: Int64)
        /// A file is closed.
        case ended(entry: Int64, End)
        /// Playing begins at a new position.
        case restarted
        case flag(Flag, Bool)
        case number(Number, Double?)
        /// The name of the open audio output; `nil` without one.
        case audioOutput(String?)
        /// The core has ended by itself.
        case shutDown
    }

    /// The reason for the end of a file.
    enum End: Sendable, Equatable {
        /// It was played to its end.
        case finished
        /// A command has closed it.
        case stopped
        /// An error: a value of `mpv_error`.
        case failed(Int32)
    }

    /// The properties of type flag that are observed.
    enum Flag: String, CaseIterable {
        /// Whether nothing is rendered at the moment.
        case idle = "core-idle"
        /// Whether data are awaited.
        case waitsForData = "paused-for-cache"
        case isSeekable = "seekable"
    }

    /// The numeric properties that are observed, in seconds.
    enum Number: String, CaseIterable {
        case duration
        case position = "time-pos"
    }

    /// A value that a property or command returns.
    enum Value: Sendable {
        case none
        case number(Double)
        case text(String)
        /// The number of the playlist entry that `loadfile` adds.
        case entry(Int64)
    }

    /// The time limit of requests, in seconds.
    static let limit = 5.0

    private let reader: EventReader

    /// Starts a core.
    ///
    /// - Parameters:
    ///   - options: Options and their values, set before the core starts.
    ///   - receive: Receives events in order, on a queue of the core; must not block.
    /// - Throws: `CoreError.unsupported` when the process has another numeric locale than mpv can work with, or an option has a
    ///   value that it refuses.
    init(options: [(String, String)], receive: @escaping @Sendable (Event) -> Void) throws {
        if let locale = Self.unsuitableLocale {
            throw CoreError.unsupported(
                "mpv: libmpv needs the C locale for numbers, and this process has \(locale); start it with LC_NUMERIC=C, "
                    + "or call setlocale(LC_NUMERIC, \"C\") after the locale is set")
        }
        guard let handle = mpv_create() else {
            throw CoreError.ioError("mpv: libmpv could not create a core; the process may be out of memory")
        }
        reader = EventReader(handle, receive)
        for (name, value) in options {
            let result = mpv_set_option_string(handle, name, value)
            // What a version does not have need not be turned off.
            if result != MPV_ERROR_OPTION_NOT_FOUND.rawValue { try Self.check(result, "\(name)=\(value)") }
        }
        for flag in Flag.allCases { mpv_observe_property(handle, 0, flag.rawValue, MPV_FORMAT_FLAG) }
        for number in Number.allCases { mpv_observe_property(handle, 0, number.rawValue, MPV_FORMAT_DOUBLE) }
        mpv_observe_property(handle, 0, EventReader.audioOutput, MPV_FORMAT_STRING)
        mpv_request_log_messages(handle, "warn")
        reader.start()
        try Self.check(mpv_initialize(handle), "initialisation")
    }

    deinit { reader.close() }

    /// The numeric locale of the process when mpv cannot work with it. libmpv compares the name in the same way.
    private static var unsuitableLocale: String? {
        guard let name = setlocale(LC_NUMERIC, nil).map({ String(cString: $0) }) else { return nil }
        return ["C", "C.UTF-8"].contains(name) ? nil : name
    }

    private static func check(_ result: CInt, _ what: String) throws {
        guard result < 0 else { return }
        throw CoreError.unsupported("mpv: libmpv refuses \(what): \(String(cString: mpv_error_string(result)))")
    }

    // MARK: Requests

    /// Sets a property.
    ///
    /// - Throws: `CoreError.ioError` when the core does not answer in time, `CoreError.invalidArgument` when it refuses the value.
    func set(_ name: String, _ value: String) async throws {
        _ = try await reader.request("\(name)=\(value)") { handle, number in
            value.withCString { text in
                var pointer: UnsafePointer<CChar>? = text
                // libmpv copies the value.
                return mpv_set_property_async(handle, number, name, MPV_FORMAT_STRING, &pointer)
            }
        }
    }

    /// Runs a command.
    ///
    /// - Returns: What the command returns.
    /// - Throws: As ``set(_:_:)``.
    @discardableResult
    func run(_ words: String...) async throws -> Value {
        try await reader.request(words[0]) { handle, number in
            let copies = words.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            var pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
            return mpv_command_async(handle, number, &pointers)
        }
    }

    /// Reads a numeric property; `nil` when it has no value, or the core does not answer within 0.1 s.
    func number(_ name: String) async -> Double? {
        guard case .number(let value)? = try? await read(name, MPV_FORMAT_DOUBLE, limit: 0.1) else { return nil }
        return value
    }

    /// Reads a property as text; `nil` when it has no value.
    func text(_ name: String) async -> String? {
        guard case .text(let value)? = try? await read(name, MPV_FORMAT_STRING, limit: 1) else { return nil }
        return value
    }

    private func read(_ name: String, _ format: mpv_format, limit: Double) async throws -> Value {
        try await reader.request(name, limit: limit) { handle, number in
            mpv_get_property_async(handle, number, name, format)
        }
    }
}

/// Called by libmpv on its own threads. It must not call libmpv, so it only schedules the reading.
private func wake(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<EventReader>.fromOpaque(context).takeUnretainedValue().schedule()
}

/// Reads the events of a core on a serial queue, and matches replies with requests.
private final class EventReader: @unchecked Sendable {
    // Safe to share: libmpv's functions may be called by any thread, and `handle` never changes. `isClosed` and `entry` are used on
    // `queue` only.

    /// The property that names the open audio output.
    static let audioOutput = "current-ao"

    private typealias Reply = CheckedContinuation<MpvCore.Value, any Error>
    private struct Requests {
        var next: UInt64 = 1
        var waiting: [UInt64: (name: String, reply: Reply)] = [:]
        var isClosed = false
    }

    private let handle: OpaquePointer
    private let receive: @Sendable (MpvCore.Event) -> Void
    private let queue = DispatchQueue(label: "descant.mpv.events", qos: .userInitiated)
    private static let timers = DispatchQueue(label: "descant.mpv.limits", qos: .userInitiated)
    private let requests = Mutex(Requests())
    private let isScheduled = Atomic(false)
    private var isClosed = false
    /// The playlist entry that was started last.
    private var entry: Int64 = 0

    init(_ handle: OpaquePointer, _ receive: @escaping @Sendable (MpvCore.Event) -> Void) {
        self.handle = handle
        self.receive = receive
    }

    func start() { mpv_set_wakeup_callback(handle, wake, Unmanaged.passUnretained(self).toOpaque()) }

    /// Ends the core on the queue, after the last reading. A core that never ends, because its sound server is frozen, keeps the
    /// thread of the queue.
    func close() {
        let waiting = requests.withLock { requests in
            requests.isClosed = true
            defer { requests.waiting = [:] }
            return requests.waiting.values
        }
        for request in waiting { request.reply.resume(throwing: CancellationError()) }
        queue.async { [self] in
            isClosed = true
            // Returns when no callback runs, and none comes afterwards.
            mpv_set_wakeup_callback(handle, nil, nil)
            mpv_terminate_destroy(handle)
        }
    }

    func schedule() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            isScheduled.store(false, ordering: .releasing)
            read()
        }
    }

    // MARK: Requests

    /// Sends a request and waits for its reply.
    ///
    /// - Parameters:
    ///   - name: What errors call it.
    ///   - limit: The time limit, in seconds.
    ///   - send: Sends it under a number.
    func request(
        _ name: String, limit: Double = MpvCore.limit, _ send: (OpaquePointer, UInt64) -> CInt
    ) async throws -> MpvCore.Value {
        try await withCheckedThrowingContinuation { reply in
            let number: UInt64? = requests.withLock { requests in
                guard !requests.isClosed else { return nil }
                defer { requests.next += 1 }
                requests.waiting[requests.next] = (name, reply)
                return requests.next
            }
            guard let number else { return reply.resume(throwing: CancellationError()) }
            let result = send(handle, number)
            guard result >= 0 else { return answer(number, .failure(Self.refusal(name, result))) }
            Self.timers.asyncAfter(deadline: .now() + limit) { [weak self] in
                self?.answer(number, .failure(CoreError.ioError("mpv: no answer to \(name) within \(limit) s")))
            }
        }
    }

    private func answer(_ number: UInt64, _ result: Result<MpvCore.Value, any Error>) {
        requests.withLock { $0.waiting.removeValue(forKey: number) }?.reply.resume(with: result)
    }

    private func answer(_ event: mpv_event, _ value: MpvCore.Value) {
        let number = event.reply_userdata
        guard event.error >= 0 else {
            let name = requests.withLock { $0.waiting[number]?.name } ?? "request"
            return answer(number, .failure(Self.refusal(name, event.error)))
        }
        answer(number, .success(value))
    }

    private static func refusal(_ name: String, _ error: CInt) -> CoreError {
        .invalidArgument("mpv: \(name): \(String(cString: mpv_error_string(error)))")
    }

    // MARK: Events

    /// Reads until the event queue is empty. libmpv delivers messages after the events that they explain, so the events of one
    /// reading are passed on behind its messages.
    private func read() {
        guard !isClosed else { return }
        var events: [MpvCore.Event] = []
        while let pointer = mpv_wait_event(handle, 0), pointer.pointee.event_id != MPV_EVENT_NONE {
            guard let event = convert(pointer.pointee) else { continue }
            if case .problem = event { receive(event) } else { events.append(event) }
        }
        for event in events { receive(event) }
    }

    /// Converts an event, or answers the request that it replies to.
    private func convert(_ event: mpv_event) -> MpvCore.Event? {
        switch event.event_id {
        case MPV_EVENT_START_FILE:
            entry = event.data?.load(as: mpv_event_start_file.self).playlist_entry_id ?? 0
            return nil
        case MPV_EVENT_FILE_LOADED: return .loaded(entry: entry)
        case MPV_EVENT_END_FILE: return event.data.map { Self.end($0.load(as: mpv_event_end_file.self)) }
        case MPV_EVENT_PLAYBACK_RESTART: return .restarted
        case MPV_EVENT_SHUTDOWN: return .shutDown
        case MPV_EVENT_LOG_MESSAGE:
            guard let message = event.data?.load(as: mpv_event_log_message.self) else { return nil }
            let text = String(cString: message.text).trimmingCharacters(in: .whitespacesAndNewlines)
            let isError = message.log_level.rawValue <= MPV_LOG_LEVEL_ERROR.rawValue
            return .problem("\(String(cString: message.prefix)): \(text)", isError: isError)
        case MPV_EVENT_PROPERTY_CHANGE: return event.data.flatMap { Self.change($0.load(as: mpv_event_property.self)) }
        case MPV_EVENT_COMMAND_REPLY:
            let result = event.data?.load(as: mpv_event_command.self).result
            answer(event, result.flatMap(Self.entry).map(MpvCore.Value.entry) ?? .none)
        case MPV_EVENT_GET_PROPERTY_REPLY:
            answer(
                event,
                event.error < 0 ? .none : event.data.map { Self.value($0.load(as: mpv_event_property.self)) } ?? .none)
        case MPV_EVENT_SET_PROPERTY_REPLY: answer(event, .none)
        default: break
        }
        return nil
    }

    private static func end(_ end: mpv_event_end_file) -> MpvCore.Event {
        let reason: MpvCore.End =
            switch end.reason {
            case MPV_END_FILE_REASON_EOF: .finished
            case MPV_END_FILE_REASON_ERROR: .failed(end.error)
            default: .stopped
            }
        return .ended(entry: end.playlist_entry_id, reason)
    }

    private static func change(_ property: mpv_event_property) -> MpvCore.Event? {
        let name = String(cString: property.name)
        let data = property.format == MPV_FORMAT_NONE ? nil : property.data
        if let flag = MpvCore.Flag(rawValue: name) {
            return .flag(flag, data.map { $0.load(as: CInt.self) != 0 } ?? false)
        }
        if let number = MpvCore.Number(rawValue: name) { return .number(number, data?.load(as: Double.self)) }
        guard name == audioOutput else { return nil }
        return .audioOutput(data?.load(as: UnsafePointer<CChar>?.self).map { String(cString: $0) })
    }

    private static func value(_ property: mpv_event_property) -> MpvCore.Value {
        guard let data = property.data else { return .none }
        switch property.format {
        case MPV_FORMAT_DOUBLE: return .number(data.load(as: Double.self))
        case MPV_FORMAT_STRING:
            return data.load(as: UnsafePointer<CChar>?.self).map { .text(String(cString: $0)) } ?? .none
        default: return .none
        }
    }

    /// The entry in the result of `loadfile`: a map with the key `playlist_entry_id`.
    private static func entry(_ result: mpv_node) -> Int64? {
        guard result.format == MPV_FORMAT_NODE_MAP, let list = result.u.list?.pointee else { return nil }
        for index in 0..<Int(list.num) {
            guard let key = list.keys?[index], String(cString: key) == "playlist_entry_id" else { continue }
            return list.values?[index].u.int64
        }
        return nil
    }
}
