import DescantTestSupport
import Foundation

/// A sound server with a kind of device that treats what is queued in its own way.
enum SoundRig: CaseIterable {
    /// PulseAudio's null sink: takes 10 ms and does not give them back.
    case pulseAudio
    /// PulseAudio on a card: takes 150 ms and gives them back.
    case pulseAudioCard
    /// PulseAudio on the sink of another server: takes more than is asked for and does not give it back, as Bluetooth does.
    case pulseAudioTunnel
    /// PipeWire's null sink.
    case pipeWire
    /// PipeWire on a card.
    case pipeWireCard
    /// PipeWire on a card that takes 43 ms at once.
    case pipeWireSlowCard

    /// A running server.
    struct Stage {
        let server: PrivateSoundServer
        /// The device to play on.
        var device = PrivatePulseServer.defaultSink
        /// The server whose default device is heard, where that is another one.
        var remote: PrivateSoundServer?

        /// Begins to record what is heard.
        func record() async throws -> any HeardRecording { try await (remote ?? server).record() }
    }

    func start() throws -> Stage {
        switch self {
        case .pulseAudio: return Stage(server: try PrivateSoundServer(.pulseAudio))
        case .pulseAudioCard: return Stage(server: try PrivateSoundServer(.pulseAudio, card: Self.card()))
        case .pipeWire: return Stage(server: try PrivateSoundServer(.pipeWire))
        case .pipeWireCard: return Stage(server: try PrivateSoundServer(.pipeWire, card: Self.card()))
        case .pipeWireSlowCard:
            let server = try PrivateSoundServer(.pipeWire, card: Self.card())
            try server.forceQuantum(2_048)
            return Stage(server: server)
        case .pulseAudioTunnel:
            let remote = try PrivateSoundServer(.pulseAudio)
            let sinks = "sink=\(PrivatePulseServer.defaultSink) sink_name=tunnel"
            let tunnel = "module-tunnel-sink server=\(remote.address) \(sinks) format=float32le rate=48000 channels=2"
            let server = try PrivateSoundServer(.pulseAudio, modules: [tunnel])
            return Stage(server: server, device: "tunnel", remote: remote)
        }
    }

    private static func card() throws -> SimulatedCard {
        try SimulatedCard(library: TestProgram.named("libSimulatedCard.so"))
    }
}
