import Descant
import DescantTesting
import Dispatch
import Foundation
import Logging
import Testing

// The code in the documentation comments of the library, compiled here. Scripts/check-articles.swift compares both.

private typealias MyClock = MonotonicClock
private typealias MyDecoder = MemoryDecoder
private typealias MyEffect = EchoEffect
private typealias MyEqualizer = GStreamerOutput
private typealias MyFileAccess = LocalFileAccess
private typealias MyOutput = MemoryOutput
private typealias MySession = ScriptedAudioSession
private typealias MyTagReader = JSONTagFiles
private typealias MyTagWriter = JSONTagFiles

/// Contracts that need files, a sound server or a plugin; their real uses are in the tests of each adapter.
private enum ContractExamples {
    static func session(on myServer: any AudioSessionBench) async throws {
        // snippet: session
        let contract = AudioSessionContract(port: MySession(), bench: myServer)
        #expect(try await contract.findings() == [])
        // snippet ends
    }

    static func tagWriter(of file: URL) throws {
        // snippet: tag-writer
        let contract = TagWriterContract(files: [file], makeReader: { MyTagReader() }, makeWriter: { MyTagWriter() })
        #expect(try contract.findings() == [])
        // snippet ends
    }

    static func tagReader(of fixture: TagFixture) throws {
        // snippet: tag-reader
        let contract = TagReaderContract(fixtures: [fixture]) { MyTagReader() }
        #expect(try contract.findings() == [])
        // snippet ends
    }

    static func decoder(of fixture: DecoderFixture) throws {
        // snippet: decoder
        let contract = DecoderContract(fixtures: [fixture]) { MyDecoder() }
        #expect(try contract.findings() == [])
        // snippet ends
    }

    static func output(recordedSamples: @escaping @Sendable () throws -> SampleBuffer) throws {
        // snippet: output
        let contract = AudioOutputContract(formats: [PCMFormat(sampleRate: 48_000, channels: 2)]) {
            .init(output: MyOutput()) { try recordedSamples() }
        }
        #expect(try contract.findings() == [])
        // snippet ends
    }

    static func logger(_ myLogger: any LoggerPort) throws {
        // snippet: logger-contract
        let contract = LoggerContract(myLogger, minimumLevel: .info)
        #expect(try contract.findings() == [])
        // snippet ends
    }

    static func builtPlugin(of fixture: DecoderFixture) throws {
        // snippet: built-plugin
        let plugin = try BuiltPlugin("Hum")
        let contract = DecoderContract(fixtures: [fixture]) { try plugin.registry.makeDecoder("hum") }
        #expect(try contract.findings() == [])
        // snippet ends
    }
}

/// Contracts that fakes keep.
@Suite struct FakeContractExamples {
    @Test func fileAccess() throws {
        // snippet: file-access
        let contract = FileAccessContract { folder in MyFileAccess(roots: [folder]) }
        #expect(try contract.findings() == [])
        // snippet ends
    }

    @Test func equalizer() {
        // snippet: equalizer
        let contract = EqualizerContract { MyEqualizer() }
        #expect(contract.findings() == [])
        // snippet ends
    }

    @Test func clock() async {
        // snippet: clock
        let contract = ClockContract(MyClock())
        #expect(await contract.findings() == [])
        // snippet ends
    }

    @Test func effect() {
        // snippet: effect
        let contract = AudioEffectContract { MyEffect() }
        #expect(contract.findings() == [])
        // snippet ends
    }

    // snippet: mixing-engine
    @Test(arguments: MixingEngineContract.Rule.allCases)
    func keeps(rule: MixingEngineContract.Rule) async {
        let contract = MixingEngineContract { samples, name in
            .pcm(SampleSource(samples, name: name))
        } makeSubject: {
            let manual = ManualMixingEngine.offline()
            return .init(engine: manual.engine) { manual.rendered }
        }
        #expect(await contract.check(rule) == [])
    }
    // snippet ends
}

/// An engine that blocks, as native ones do.
private struct BlockingEngine: Sendable {
    func speech(of request: SpeechRequest) throws -> [SpeechChunk] { [] }
}

private struct PooledSynthesis: Sendable {
    let engine = BlockingEngine()
    let workers = SpeechWorkers(name: "example", limit: 2)

    // snippet: speech-workers
    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        workers.speak { feed in
            for chunk in try engine.speech(of: request) where !feed.send(chunk) { return }
        }
    }
    // snippet ends
}

private struct QueuedSynthesis: Sendable {
    let engine = BlockingEngine()
    let queue = DispatchQueue(label: "example")

    // snippet: speech-feed
    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let (stream, feed) = SpeechFeed.make()
        queue.async {
            do {
                for chunk in try engine.speech(of: request) where !feed.send(chunk) { return }
                feed.finish()
            } catch {
                feed.finish(throwing: error)
            }
        }
        return stream
    }
    // snippet ends
}

private enum CoreExamples {
    static func files(in musicFolder: URL) throws {
        // snippet: files
        let files = LocalFileAccess(roots: [musicFolder])
        let token = try files.open(url: musicFolder.appendingPathComponent("song.flac"))
        defer { files.close(token) }
        print(try files.size(token))
        // snippet ends
    }

    static func trust(
        in key: Data, verify: @escaping @Sendable (_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool
    ) -> PluginRegistry {
        // snippet: trust
        let trust = PluginTrust.signed(by: [key]) { message, signature, key in verify(signature, message, key) }
        let registry = PluginRegistry(trust: trust)
        // snippet ends
        return registry
    }

    static func tagChange(without backCover: TagPicture) -> TagChange {
        // snippet: tag-change
        var change = TagChange(remove: [.comment, .discNumber])
        change.set.title = "Rain"
        change.pictures = [.remove(backCover)]
        // snippet ends
        return change
    }

    static func logger() -> AudioEnvironment {
        // snippet: logger
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        let environment = AudioEnvironment(logger: SwiftLogLogger(Logger(label: "org.example.player")))
        // snippet ends
        return environment
    }
}
