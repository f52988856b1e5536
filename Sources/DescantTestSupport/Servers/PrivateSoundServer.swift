internal import Synchronization

/// A private sound server of either kind, for tests that run on both. Its initial default sink is
/// ``PrivatePulseServer/defaultSink``.
public final class PrivateSoundServer: Sendable {
    /// The sound server program.
    public enum Kind: String, CaseIterable, Sendable {
        /// PulseAudio.
        case pulseAudio
        /// PipeWire with its PulseAudio service.
        case pipeWire
    }

    /// Reads and changes the server's state, as a user or another program would.
    public let control: ServerControl

    private let card: SimulatedCard?
    private let pulse: PrivatePulseServer?
    private let pipeWire: PrivatePipeWireServer?
    private let others = Mutex<[ForeignPlayer]>([])
    private let addedDevice = Mutex<Int?>(nil)

    /// Starts a server and waits until it answers.
    ///
    /// - Parameters:
    ///   - kind: The sound server program.
    ///   - modules: Additional modules of PulseAudio with their arguments, such as `module-role-cork`.
    ///   - card: The card of the default sink; a null sink takes its place without one.
    /// - Throws: `TestSupportError.notInstalled` naming the package of a program that is not installed, `TestSupportError.failed` when a
    ///   program does not start or answer.
    public init(_ kind: Kind, modules: [String] = [], card: SimulatedCard? = nil) throws {
        self.card = card
        switch kind {
        case .pulseAudio:
            pulse = try PrivatePulseServer(modules: modules, card: card)
            pipeWire = nil
        case .pipeWire:
            pulse = nil
            pipeWire = try PrivatePipeWireServer(card: card)
        }
        control = ServerControl(address: pulse?.address ?? pipeWire?.address ?? "")
    }

    /// The server's address, as `PULSE_SERVER` takes it.
    public var address: String { control.address }

    /// Records what a listener hears from ``PrivatePulseServer/defaultSink``.
    ///
    /// - Throws: As for ``MonitorRecording/init(of:at:)``.
    public func record() async throws -> any HeardRecording {
        if let card { return CardRecording(of: card) }
        return try await MonitorRecording(of: PrivatePulseServer.defaultSink, at: address)
    }

    /// Ends the server at once, as a crash would.
    public func kill() {
        pulse?.kill()
        pipeWire?.kill()
    }

    /// Starts the server again after ``kill()``.
    ///
    /// - Throws: As for ``init(_:modules:card:)``.
    public func start() throws {
        try pulse?.start()
        try pipeWire?.start()
    }

    /// Starts the server again after ``kill()``, with preparations before the programs that wait for it reach it.
    ///
    /// - Parameter prepare: Called with an address at which the server answers already, for a recorder, say.
    /// - Throws: As for ``init(_:modules:card:)``, and what `prepare` throws.
    public func start<Result>(before prepare: (_ address: String) async throws -> Result) async throws -> Result {
        try pulse?.startWithoutClients()
        try pipeWire?.startWithoutClients()
        let result = try await prepare(pulse?.ownAddress ?? pipeWire?.ownAddress ?? address)
        try pulse?.acceptClients()
        try pipeWire?.acceptClients()
        return result
    }

    /// Suspends the process of PulseAudio: it accepts connections and answers nothing.
    public func freeze() { pulse?.freeze() }

    /// Resumes a frozen server.
    public func thaw() { pulse?.thaw() }

    // MARK: Other programs and devices

    /// Starts another program that plays.
    ///
    /// - Parameter role: The `media.role` of its stream, such as `music` or `phone`.
    public func startOther(role: String) throws {
        let other = try ForeignPlayer(on: address, role: role)
        others.withLock { $0.append(other) }
    }

    /// Ends the programs of ``startOther(role:)``.
    public func stopOthers() { others.withLock { $0 = [] } }

    /// Has PipeWire exchange this number of frames with its devices at once.
    ///
    /// - Throws: `TestSupportError.failed` when it refuses.
    public func forceQuantum(_ frames: Int) throws { try pipeWire?.forceQuantum(frames) }

    /// Makes a new device the default; ``removeDevice()`` removes it.
    public func changeDefaultDevice() throws {
        let module = try control.addSink("bluetooth")
        addedDevice.withLock { $0 = module }
        try control.setDefaultSink("bluetooth")
    }

    /// Removes the device of ``changeDefaultDevice()``.
    public func removeDevice() throws {
        if let module = addedDevice.withLock({ $0 }) { try control.remove(module) }
    }

    /// Ends the server.
    public func killServer() { kill() }

    /// Starts the server again.
    public func restartServer() throws { try start() }
}
