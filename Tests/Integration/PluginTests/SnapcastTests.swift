import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// `descant play --output snapcast:HOST`, with a Snapcast server and two of its clients.
@Suite(.serialized)
struct SnapcastTests {
    /// The clients' sinks are the left and the right channel of one sink, so that one recording has both.
    private static let modules = [
        "module-remap-sink sink_name=kitchen master=speakers channels=1 channel_map=mono "
            + "master_channel_map=front-left remix=no",
        "module-remap-sink sink_name=bathroom master=speakers channels=1 channel_map=mono "
            + "master_channel_map=front-right remix=no",
    ]

    private let shelf: BundleShelf

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.plugin("PCMStreamOutput"))
    }

    private func noise(seconds: Double) throws -> (file: URL, samples: [Float]) {
        let noise = TestSignal.noise(seed: 17, amplitude: 0.3, seconds: seconds, channels: 1).samples().samples
        let sound = SampleBuffer(stereo: noise.flatMap { [$0, $0] })
        let file = shelf.directory.file("noise.wav")
        try WAVFile(sound, encoding: .int16).data().write(to: file)
        return (file, noise)
    }

    /// Runs the program; one that hangs is killed after three minutes.
    private func descant(_ arguments: String...) async throws -> (status: Int32, text: String) {
        let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_PRODUCTS"].map { URL(fileURLWithPath: $0) }
        let output = try shelf.directory.write(Data(), to: "told")
        let told = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = try (folder ?? BuiltLibrary.folder).appendingPathComponent("descant")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "DESCANT_PLUGIN_PATH": shelf.folder.path, "XDG_STATE_HOME": shelf.folder.path,
                "XDG_CONFIG_HOME": shelf.folder.path, "DBUS_SESSION_BUS_ADDRESS": "", "LC_ALL": "C.UTF-8",
            ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = told
        process.standardError = told
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        let identifier = process.processIdentifier
        let limit = Task {
            try await Task.sleep(for: .seconds(180))
            kill(identifier, SIGKILL)
        }
        for await _ in ended {}
        limit.cancel()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
    }

    /// How the clients stood to each other in one recording.
    private struct Recorded {
        /// How far the right client is behind the left one, in ms, wherever both play without a break.
        var offsets: [Double] = []
        /// Whether the left client plays the file.
        var isTheFile = false
    }

    private func record(
        _ file: URL, _ samples: [Float], on pulse: PrivatePulseServer, from server: PrivateSnapServer
    ) async throws -> Recorded {
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: pulse)
        let (status, text) = try await descant(
            "play", "--headless", "--output", "snapcast:127.0.0.1:\(server.sourcePort)", file.path)
        #expect(status == 0, "\(text)")
        // The server plays a second behind.
        try await recording.wait(frames: recording.frameCount + 60_000)
        let heard = await recording.stop()
        let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
        let right = stride(from: 1, to: heard.count, by: 2).map { heard[$0] }
        let length = 4_096
        var recorded = Recorded()
        for start in stride(from: length, to: left.count - 2 * length, by: 12_000) {
            let excerpt = Array(left[start..<start + length])
            guard excerpt.contains(where: { abs($0) > 0.01 }) else { continue }
            let near = Alignment(of: excerpt, in: Array(right[start - length..<start + 2 * length]))
            // A client that corrects its pace leaves out a sample: an excerpt across it fits in part.
            guard near.correlation > 0.9 else { continue }
            recorded.offsets.append(Double(near.frame - length) / 48)
            if !recorded.isTheFile { recorded.isTheFile = Alignment(of: excerpt, in: samples).correlation > 0.9 }
        }
        return recorded
    }

    /// Two clients of one server are in step within 2 ms.
    @Test(.timeLimit(.minutes(5))) func twoClientsPlayInStep() async throws {
        let (file, samples) = try noise(seconds: 8)
        var recorded = Recorded()
        /// The most excerpts in a row that were in step.
        var inStep = 0
        // A busy sound server may drop some 20 ms, after which a client can be out of step for a while.
        for _ in 0..<5 where inStep < 10 {
            let pulse = try PrivatePulseServer(modules: Self.modules)
            let server = try PrivateSnapServer()
            try server.startClient(on: "kitchen", of: pulse)
            try server.startClient(on: "bathroom", of: pulse)
            recorded = try await record(file, samples, on: pulse, from: server)
            inStep = recorded.offsets.split { abs($0) > 2 }.map(\.count).max() ?? 0
        }
        #expect(recorded.isTheFile)
        #expect(inStep >= 10, "\(recorded.offsets)")
    }

    /// The server is killed in the middle of the file and started again.
    @Test(.timeLimit(.minutes(15))) func playbackGoesOnWhenTheServerIsBack() async throws {
        // On a busy machine the server and its client take many seconds to find each other again.
        let (file, samples) = try noise(seconds: 35)
        var problem: String? = "not tried"
        // A busy client may break off, and plays parts of the file then that no excerpt fits: more tries are allowed.
        for _ in 0..<3 where problem != nil { problem = try await restart(file, samples) }
        #expect(problem == nil)
    }

    /// Plays a file, during which the server is killed and started again.
    ///
    /// - Returns: What of the file was not heard that should have been.
    private func restart(_ file: URL, _ samples: [Float]) async throws -> String? {
        let pulse = try PrivatePulseServer(modules: Self.modules)
        let server = try PrivateSnapServer()
        try server.startClient(on: "kitchen", of: pulse)
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: pulse)
        async let played = descant(
            "play", "--headless", "--output", "snapcast:127.0.0.1:\(server.sourcePort)", file.path)
        try await recording.wait(frames: recording.frameCount + 4 * 48_000)
        server.kill()
        let killed = recording.frameCount
        try await recording.wait(frames: killed + 48_000)
        try server.start()
        try server.startClient(on: "kitchen", of: pulse)
        let (status, text) = try await played
        #expect(status == 0, "\(text)")
        try await recording.wait(frames: recording.frameCount + 2 * 48_000)
        let heard = await recording.stop()
        let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
        guard left[..<killed].contains(where: { abs($0) > 0.1 }) else { return "nothing was heard before the restart" }
        // What was sent was not played while the server was away; the program, the server and its client need a few seconds to find each
        // other again; nothing else is missing. A client that corrects its pace leaves out or repeats samples: an excerpt across such a
        // place fits in part.
        let later = Array(left[killed...])
        func excerpt(_ second: Double) -> [Float] { Array(samples[Int(second * 48_000)...].prefix(2_048)) }
        func isFound(_ found: Alignment) -> Bool { found.frame >= 0 && found.correlation > 0.9 }
        let anchors = [30, 30.25, 30.5].lazy.map { second in
            Alignment(of: excerpt(second), in: later)
        }
        guard let anchor = anchors.first(where: isFound) else { return "the file is not heard after the restart" }
        let places = stride(from: 25, to: 34.75, by: 0.5).map { second -> Int? in
            let near = max(0, anchor.frame + Int((second - 30.25) * 48_000) - 24_000)
            guard later.count >= near + 2_048 else { return nil }
            let found = Alignment(of: excerpt(second), in: Array(later[near...].prefix(50_000)))
            return isFound(found) ? near + found.frame : nil
        }
        let heardAgain = places.compactMap(\.self)
        let isComplete = heardAgain.count >= 12 && places.suffix(3).contains { $0 != nil }
        let isInOrder = zip(heardAgain, heardAgain.dropFirst()).allSatisfy { $0 < $1 }
        return isComplete && isInOrder ? nil : "\(places)"
    }

    @Test func aServerThatIsNotThereIsNamedWithTheRemedy() async throws {
        let server = try PrivateSnapServer()
        server.kill()
        let address = "127.0.0.1:\(server.sourcePort)"
        let file = try noise(seconds: 1).file.path
        let refused = try await descant("play", "--headless", "--output", "snapcast:\(address)", file)
        #expect(refused.status == 1, "\(refused.text)")
        for words in ["Snapcast server", address, "source = tcp://0.0.0.0:\(server.sourcePort)?name="] {
            #expect(refused.text.contains(words), "\(words) in: \(refused.text)")
        }
        try FileManager.default.removeItem(at: shelf.folder.appendingPathComponent("PCMStreamOutput.descantplugin"))
        let without = try await descant("play", "--headless", "--output", "snapcast:\(address)", file)
        #expect(without.status == 1 && without.text.contains("PCMStreamOutput"), "\(without.text)")
        for wrong in ["snapcast:", "snapcast::1704", "snapcast:a:0", "snapcast:a:70000", "snapcast:a/b"] {
            let result = try await descant("play", "--headless", "--output", wrong, file)
            #expect(result.status == 2 && result.text.contains("snapcast:HOST:PORT"), "\(wrong): \(result.text)")
        }
    }
}
