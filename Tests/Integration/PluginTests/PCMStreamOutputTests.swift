import Descant
import DescantTesting
import Foundation
import Synchronization
import Testing

/// The output bundle, loaded as a host loads it, against a TCP server.
struct PCMStreamOutputTests {
    private func registry(_ target: String) throws -> (BundleShelf, PluginRegistry) {
        let shelf = try BundleShelf()
        let file = try shelf.directory.write(Data("\(target)\n".utf8), to: "target.txt")
        try shelf.write(BuiltLibrary.plugin("PCMStreamOutput"), files: [file])
        return (shelf, shelf.registry())
    }

    /// The receivers are kept until the end of the test, because the contract reads only some of them.
    private static let kept = Mutex<[PCMReceiver]>([])

    @Test func keepsTheContractOfOutputs() throws {
        let formats = [(48_000, 2), (44_100, 1), (96_000, 6)].map { PCMFormat(sampleRate: $0.0, channels: $0.1) }
        for format in formats {
            let contract = AudioOutputContract(formats: [format]) {
                let receiver = try PCMReceiver()
                Self.kept.withLock { $0.append(receiver) }
                let (shelf, registry) = try registry("tcp://127.0.0.1:\(receiver.port)")
                return .init(output: try registry.makeOutput("pcm-stream")) {
                    _ = shelf
                    return SampleBuffer(format: format, samples: receiver.firstStream())
                }
            }
            #expect(try contract.findings() == [])
        }
    }

    @Test func servicePlaysThroughTheOutput() async throws {
        let receiver = try PCMReceiver()
        let (shelf, registry) = try registry("tcp://127.0.0.1:\(receiver.port)")
        let sound = TestSignal.ramp(frames: 30_000, sampleRate: 48_000).samples()
        let file = try FixtureEncoder().encode(sound, as: .flac(bits: 16), to: shelf.directory.file("a.flac"))
        let service = DefaultPlaybackService(
            decoder: GStreamerDecoder(), audio: try registry.makeOutput("pcm-stream"), clock: MonotonicClock(),
            logger: NoopLogger())
        try service.load(url: file)
        try service.play()
        for await state in service.stateUpdates where state == .stopped { break }
        #expect(receiver.firstStream() == sound.samples)
    }

    @Test func errorsNameTheTarget() throws {
        // A port that was free before.
        let port = try PCMReceiver().port
        let (shelf, registry) = try registry("tcp://127.0.0.1:\(port)")
        let output = try registry.makeOutput("pcm-stream")
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        #expect { try output.start() } throws: {
            ($0 as? CoreError)?.code == "ioError" && "\($0)".contains("tcp://127.0.0.1:\(port)")
        }
        _ = shelf
        for target in ["", "http://a:1", "tcp://a", "tcp://:5", "tcp://a:70000"] {
            let (shelf, registry) = try self.registry(target)
            #expect { try registry.makeOutput("pcm-stream") } throws: { "\($0)".contains("tcp://") }
            _ = shelf
        }
    }

    @Test func closedConnectionIsAnError() throws {
        let receiver = try PCMReceiver(closesAtOnce: true)
        let (shelf, registry) = try registry("tcp://127.0.0.1:\(receiver.port)")
        let output = try registry.makeOutput("pcm-stream")
        try output.configure(sampleRate: 48_000, channels: 2, framesPerBuffer: 4_096)
        try output.start()
        let silence = [Float](repeating: 0, count: 8_192)
        #expect { while true { _ = try output.render(silence, frameCount: 4_096) } } throws: {
            ($0 as? CoreError)?.code == "ioError"
        }
        _ = shelf
    }
}
