import DescantCore
import DescantTesting
import Synchronization

/// A private sound server of either kind.
final class TestServer: AudioSessionBench {
    enum Kind: CaseIterable, Sendable { case pulseAudio, pipeWire }

    let control: ServerControl
    private let pulse: PrivatePulseServer?
    private let pipeWire: PrivatePipeWireServer?
    private let others = Mutex<[ForeignPlayer]>([])

    init(_ kind: Kind) throws {
        switch kind {
        case .pulseAudio:
            pulse = try PrivatePulseServer()
            pipeWire = nil
        case .pipeWire:
            pulse = nil
            pipeWire = try PrivatePipeWireServer()
        }
        control = ServerControl(address: pulse?.address ?? pipeWire?.address ?? "")
        // PipeWire's session manager takes the sink that it saw last; the default is the same everywhere then.
        try control.setDefaultSink(PrivatePulseServer.defaultSink)
    }

    var address: String { control.address }

    func kill() {
        pulse?.kill()
        pipeWire?.kill()
    }

    func start() throws {
        try pulse?.start()
        try pipeWire?.start()
    }

    // MARK: The contract's bench

    func startOther(_ role: AudioRole) throws {
        let other = try ForeignPlayer(on: address, role: role)
        others.withLock { $0.append(other) }
    }

    func stopOthers() { others.withLock { $0 = [] } }

    /// A device that comes with it, so that it can be taken away.
    func changeDefaultDevice() throws {
        let module = try control.addSink("bluetooth")
        addedDevice.withLock { $0 = module }
        try control.setDefaultSink("bluetooth")
    }

    func removeDevice() throws {
        if let module = addedDevice.withLock({ $0 }) { try control.remove(module) }
    }

    func killServer() { kill() }

    func restartServer() throws { try start() }

    private let addedDevice = Mutex<Int?>(nil)
}
