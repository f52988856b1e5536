import DescantTesting

/// A private sound server of either kind.
final class TestServer: Sendable {
    enum Kind: CaseIterable, Sendable { case pulseAudio, pipeWire }

    let control: ServerControl
    private let pulse: PrivatePulseServer?
    private let pipeWire: PrivatePipeWireServer?

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
}
