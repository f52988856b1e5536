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
        for target in ["", "http://a:1", "tcp://a", "tcp://:5", "tcp://a:70000", "tcp://a:5?format=s8"] {
            let (shelf, registry) = try self.registry(target)
            #expect { try registry.makeOutput("pcm-stream") } throws: { "\($0)".contains("tcp://") }
            _ = shelf
        }
    }

    /// A mix plays through an output of a bundle, to the address that the host gives. Samples of 16 bits arrive unchanged.
    @Test func mixPlaysThroughTheOutputAsIntegers() async throws {
        let receiver = try PCMReceiver()
        let (shelf, engine) = try mix(to: receiver, format: "s16")
        let sound = TestSignal.noise(seed: 3, amplitude: 0.9, seconds: 1).samples()
        try await play(sound, on: engine, in: shelf)
        _ = receiver.firstStream()
        let bytes = try #require(receiver.completeStreams.first)
        let heard = bytes.withUnsafeBytes { $0.bindMemory(to: Int16.self).map { Float($0) / 32_768 } }
        #expect(heard.count % 2 == 0)
        // Not within the expectation, which would look for the difference of the arrays for minutes.
        let isExact = Array(heard.prefix(sound.samples.count)) == sound.samples
        #expect(isExact)
        #expect(heard.dropFirst(sound.samples.count).allSatisfy { $0 == 0 })
    }

    /// A receiver that ends the connection is a lost output: the mix waits, connects again and goes on with what was not heard.
    @Test(.timeLimit(.minutes(5))) func mixGoesOnAfterALostConnection() async throws {
        let receiver = try PCMReceiver()
        let (shelf, engine) = try mix(to: receiver, format: "f32")
        let events = engine.mixEvents
        let seen = Task {
            var seen: [String] = []
            for await event in events {
                switch event.kind {
                case .outputLost(let reason): seen.append(reason)
                case .outputRestored: return seen + ["restored"]
                default: break
                }
            }
            return seen
        }
        let frames: Int64 = 240_000
        let sound = TestSignal.ramp(frames: Int(frames), sampleRate: 48_000).samples()
        try await play(sound, on: engine, in: shelf) { receiver.disconnect() }
        let told = await seen.value
        #expect(told.count == 2 && told.last == "restored", "\(told)")
        #expect(told.first?.contains("tcp://127.0.0.1:\(receiver.port)") == true, "\(told)")
        let streams = receiver.firstStreams(2).map { bytes in
            bytes.withUnsafeBytes { Array($0.bindMemory(to: SIMD2<Float>.self)) }
                .compactMap { RampCode.index(of: [$0.x, $0.y]) }
        }
        try #require(streams.count == 2)
        let (first, second) = (try #require(streams[0].last), try #require(streams[1].first))
        // The second connection begins with the frame that was due when the loss was seen.
        #expect(abs(first - second) < 48_000, "\(first) \(second)")
        let isTheRest = streams[1] == Array(second..<frames)
        #expect(isTheRest)
    }

    @Test func missingReceiverIsTheErrorOfTheStart() async throws {
        // A port that was free before.
        let port = try PCMReceiver().port
        let (shelf, registry) = try registry("tcp://127.0.0.1:\(port)")
        let environment = AudioEnvironment(plugins: registry)
        for (output, words) in [
            ("pcm-stream", "the receiver: tcp://127.0.0.1:\(port) cannot be reached"), ("moon", "moon"),
        ] {
            let engine = try environment.makeEngine(output: environment.output(output, name: "the receiver"))
            await #expect { try await play(TestSignal.silence(seconds: 1).samples(), on: engine, in: shelf) } throws: {
                "\($0)".contains(words)
            }
        }
    }

    private func mix(to receiver: PCMReceiver, format: String) throws -> (BundleShelf, any MixingEngine) {
        let (shelf, registry) = try registry("tcp://127.0.0.1:1")
        let environment = AudioEnvironment(plugins: registry)
        let output = environment.output(
            "pcm-stream", address: "tcp://127.0.0.1:\(receiver.port)?format=\(format)",
            bits: format == "s16" ? 16 : nil)
        return (shelf, try environment.makeEngine(output: output))
    }

    /// Plays a sound to its end and shuts the engine down.
    ///
    /// - Parameter began: Called when the sound has begun.
    private func play(
        _ sound: SampleBuffer, on engine: any MixingEngine, in shelf: BundleShelf, began: () -> Void = {}
    ) async throws {
        let player = AudioPlayerService(engine: engine)
        let file = try FixtureEncoder().encode(sound, as: .flac(bits: 16), to: shelf.directory.file("a.flac"))
        let states = player.stateUpdates
        do {
            try await player.startPlaying(
                url: file, configuration: PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 0))
            began()
            for await state in states where state == .finished { break }
        } catch {
            await engine.shutdown()
            throw error
        }
        await engine.shutdown()
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
