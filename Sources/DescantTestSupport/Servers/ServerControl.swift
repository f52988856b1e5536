internal import Foundation

/// Changes a private sound server as a user or another program would, and reads its state.
public struct ServerControl: Sendable {
    /// A stream as the server lists it.
    public struct Stream: Sendable, Hashable {
        /// The server's number for it.
        public var index: UInt32
        /// The process that plays it; `nil` when it does not say.
        public var process: Int32?
        /// Its `media.role`; empty when it has none.
        public var role: String
        /// Whether its program has paused it.
        public var isCorked: Bool
        /// Whether it is muted.
        public var isMuted: Bool
    }

    /// The server's address, as `PULSE_SERVER` takes it.
    public let address: String

    /// Creates a control without a connection.
    ///
    /// - Parameter address: The server's address, as `PULSE_SERVER` takes it.
    public init(address: String) { self.address = address }

    // MARK: Changing

    /// Sends new streams, and those that follow the default, to a sink. Returns when the server confirms it.
    ///
    /// PipeWire answers before its session manager has decided, and the manager may not know a new sink yet. The command is
    /// repeated until the manager has accepted the sink.
    ///
    /// - Throws: `TestSupportError.failed` when the server refuses, or has another default for 20 s.
    public func setDefaultSink(_ sink: String) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        repeat {
            try run(["set-default-sink", sink])
            if try defaultSink() == sink { return }
        } while ContinuousClock.now < deadline
        throw TestSupportError.failed("\(address) does not make \(sink) its default")
    }

    /// Adds a null sink.
    ///
    /// - Parameter name: Its name.
    /// - Returns: A number for ``remove(_:)``.
    /// - Throws: `TestSupportError.failed` when the server refuses.
    public func addSink(_ name: String) throws -> Int {
        try load(["module-null-sink", "sink_name=\(name)", "rate=48000", "channels=2"])
    }

    /// Loads a module.
    ///
    /// - Parameter module: Its name and its arguments.
    /// - Returns: A number for ``remove(_:)``.
    /// - Throws: `TestSupportError.failed` when the server refuses.
    public func load(_ module: [String]) throws -> Int {
        let answer = String(decoding: try run(["load-module"] + module), as: UTF8.self)
        guard let number = Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw TestSupportError.failed("load-module \(module) answered \(answer)")
        }
        return number
    }

    /// Removes a sink or another module.
    ///
    /// - Throws: `TestSupportError.failed` when the server refuses.
    public func remove(_ module: Int) throws { try run(["unload-module", String(module)]) }

    /// Mutes or unmutes a stream, as a user does with a mixer program.
    ///
    /// - Throws: `TestSupportError.failed` when the server refuses.
    public func setMuted(_ isMuted: Bool, stream: UInt32) throws {
        try run(["set-sink-input-mute", String(stream), isMuted ? "1" : "0"])
    }

    // MARK: Reading

    /// The name of the sink that new streams go to.
    ///
    /// - Throws: `TestSupportError.failed` when the server does not answer.
    public func defaultSink() throws -> String {
        String(decoding: try run(["get-default-sink"]), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The streams that the server has, paused ones included.
    ///
    /// - Throws: `TestSupportError.failed` when the server does not answer.
    public func streams() throws -> [Stream] {
        try list("sink-inputs").map { entry in
            let properties = entry["properties"] as? [String: Any] ?? [:]
            return Stream(
                index: UInt32(entry["index"] as? Int ?? 0), process: Self.process(of: properties),
                role: properties["media.role"] as? String ?? "", isCorked: entry["corked"] as? Bool ?? false,
                isMuted: entry["mute"] as? Bool ?? false)
        }
    }

    /// How many connections a process has to the server.
    ///
    /// - Throws: `TestSupportError.failed` when the server does not answer.
    public func connectionCount(of process: Int32) throws -> Int {
        try list("clients").count { entry in
            Self.process(of: entry["properties"] as? [String: Any] ?? [:]) == process
        }
    }

    private static func process(of properties: [String: Any]) -> Int32? {
        (properties["application.process.id"] as? String).flatMap { Int32($0) }
    }

    private func list(_ things: String) throws -> [[String: Any]] {
        let answer = try run(["--format=json", "list", things])
        guard let list = try JSONSerialization.jsonObject(with: answer) as? [[String: Any]] else {
            throw TestSupportError.failed("pactl list \(things) answered \(String(decoding: answer, as: UTF8.self))")
        }
        return list
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> Data {
        let folder = try ServerFolder(label: "descant-pactl")
        try ExternalTool(name: "pactl", package: "pulseaudio-utils")
            .run(["--server=\(address)"] + arguments, log: folder)
        return try Data(contentsOf: folder.file("pactl.log"))
    }
}
