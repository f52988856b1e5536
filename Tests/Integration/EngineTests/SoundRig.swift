import Descant
import DescantTestSupport
import Foundation

/// A kind of device, behind a sound server or alone, that treats what is queued in its own way.
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
    /// ALSA on a card, without a server.
    case alsaCard
    /// ALSA on a device that does not give back what it has taken, as its plugins do.
    case alsaPlugin

    /// Whether the server drops out by itself now and then, without any command: PipeWire every few seconds with steps of 11 ms on a busy
    /// machine, rarely with those of 43 ms; a tunnel when either of its two servers does.
    var dropsOut: Bool {
        switch self {
        case .pipeWire, .pipeWireCard, .pipeWireSlowCard, .pulseAudioTunnel: true
        case .pulseAudio, .pulseAudioCard, .alsaCard, .alsaPlugin: false
        }
    }

    /// A running server, or a card without one.
    struct Stage {
        fileprivate enum Device {
            /// A device of a server.
            case sink(String, of: PrivateSoundServer)
            case card(SimulatedCard, rewinds: Bool)
        }

        fileprivate let device: Device
        /// The server whose default device is heard, where that is another one.
        fileprivate var remote: PrivateSoundServer?

        /// The output that plays on the device.
        ///
        /// - Parameter latency: The length of the queue in seconds.
        func output(latency: Double = 0.5) -> OutputDestination {
            switch device {
            case .sink(let name, let server): .pulse(device: name, latency: latency, server: server.address)
            case .card(let card, let rewinds): .alsa(device: card.directDevice, latency: latency, rewinds: rewinds)
            }
        }

        /// Begins to record what is heard.
        ///
        /// - Parameter other: Another device of the server.
        func record(_ other: String? = nil) async throws -> any HeardRecording {
            switch device {
            case .sink(_, let server):
                if let other { return try await MonitorRecording(of: other, at: server.address) }
                return try await (remote ?? server).record()
            case .card(let card, _): return CardRecording(of: card)
            }
        }

        fileprivate static func speakers(of server: PrivateSoundServer) -> Stage {
            Stage(device: .sink(PrivatePulseServer.defaultSink, of: server))
        }
    }

    func start() throws -> Stage {
        switch self {
        case .pulseAudio: return .speakers(of: try PrivateSoundServer(.pulseAudio))
        case .pulseAudioCard: return .speakers(of: try PrivateSoundServer(.pulseAudio, card: Self.card()))
        case .pipeWire: return .speakers(of: try PrivateSoundServer(.pipeWire))
        case .pipeWireCard: return .speakers(of: try PrivateSoundServer(.pipeWire, card: Self.card()))
        case .alsaCard: return Stage(device: .card(try Self.card(), rewinds: true))
        case .alsaPlugin: return Stage(device: .card(try Self.card(), rewinds: false))
        case .pipeWireSlowCard:
            let server = try PrivateSoundServer(.pipeWire, card: Self.card())
            try server.forceQuantum(2_048)
            return .speakers(of: server)
        case .pulseAudioTunnel:
            let remote = try PrivateSoundServer(.pulseAudio)
            let sinks = "sink=\(PrivatePulseServer.defaultSink) sink_name=tunnel"
            let tunnel = "module-tunnel-sink server=\(remote.address) \(sinks) format=float32le rate=48000 channels=2"
            let server = try PrivateSoundServer(.pulseAudio, modules: [tunnel])
            return Stage(device: .sink("tunnel", of: server), remote: remote)
        }
    }

    private static func card() throws -> SimulatedCard {
        try SimulatedCard(library: TestProgram.named("libSimulatedCard.so"))
    }
}
