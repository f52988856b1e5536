import Descant
import DescantTesting
import Foundation
import Testing

/// A bundle that hangs, aborts, throws or returns wrong values in each call of a host: the reported error, that the host
/// continues, and that the next track plays. Each runs in a separate process, because an abort ends the process.
///
/// ``RefusalTests`` has the faults in a bundle's files.
@Suite struct RogueBundleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var behaviour: String
        /// The expected output, as parts of lines.
        var told: [String]
        /// Whether the bundle is not used again.
        var isRetired = false
        /// Whether the rogue track is played.
        var isStarted = false
        /// The seek position in the rogue track.
        var seek = 0.0
        /// The duration of the next track, in seconds.
        var next = 0.2

        var testDescription: String { behaviour }
    }

    private static let overdue: [Row] = ["load", "initialiser", "make", "score", "open"].map { place in
        Row(
            behaviour: "hang \(place == "load" ? "constructor" : place)",
            told: [
                "overdue org.example.rogue \(place)", "failed track.rogue",
                "unavailable org.example.rogue: org.example.rogue: its \(place) did not come back within 4.0 s",
            ], isRetired: true)
    }

    private static let playing = [
        Row(
            behaviour: "hang read",
            told: [
                "overdue org.example.rogue read",
                "rogue of org.example.rogue did not come back from its read within 4.0 s",
            ], isRetired: true, isStarted: true),
        Row(
            behaviour: "hang seek",
            told: ["overdue org.example.rogue seek", "did not come back from its seek within 4.0 s"],
            isRetired: true, isStarted: true, seek: 0.4),
        Row(
            behaviour: "hang close", told: ["overdue org.example.rogue close"], isRetired: true, isStarted: true,
            next: 10),
    ]

    private static let throwing = [
        Row(
            behaviour: "throw initialiser", told: ["failed track.rogue", "the rogue threw in its initialiser"],
            isRetired: true),
        Row(behaviour: "throw make", told: ["failed track.rogue", "the rogue threw in its make"]),
        Row(behaviour: "throw open", told: ["failed track.rogue", "the rogue threw in its open"]),
        Row(
            behaviour: "throw read", told: ["track.rogue: reading ended at 0.0 s: the rogue threw in its read"],
            isStarted: true),
        Row(behaviour: "throw seek", told: ["the rogue threw in its seek"], isStarted: true, seek: 0.4),
    ]

    private static let lying = [
        Row(
            behaviour: "rate 4e9",
            told: ["failed track.rogue", "sample rate 4000000000.0 Hz; 1 to 1536000 are possible"]),
        Row(behaviour: "rate 1e300", told: ["failed track.rogue", "sample rate 1e+300 Hz"]),
        Row(behaviour: "rate 0", told: ["failed track.rogue", "sample rate 0.0 Hz"]),
        Row(behaviour: "rate nan", told: ["failed track.rogue", "sample rate nan Hz"]),
        Row(behaviour: "channels 0", told: ["failed track.rogue", "0 channels; 1 to 8 are possible"]),
        Row(behaviour: "channels 9", told: ["failed track.rogue", "9 channels; 1 to 8 are possible"]),
        Row(behaviour: "duration nan", told: ["failed track.rogue", "duration nan s is negative or not a number"]),
        Row(behaviour: "duration -1", told: ["failed track.rogue", "duration -1.0 s is negative"]),
        Row(behaviour: "duration inf", told: ["ended track.rogue"], isStarted: true),
        Row(behaviour: "duration 1e300", told: ["ended track.rogue"], isStarted: true),
        Row(
            behaviour: "frames excess",
            told: ["org.example.rogue gave 4097 frames when asked for up to 4096; what it wrote cannot be trusted"],
            isStarted: true),
        Row(
            behaviour: "frames negative", told: ["org.example.rogue gave -1 frames when asked for up to 4096"],
            isStarted: true),
        Row(
            behaviour: "frames endless",
            told: ["org.example.rogue announced 48000 frames and did not end after 96480; it was stopped"],
            isStarted: true),
        Row(
            behaviour: "frames early",
            told: [
                "track.rogue: reading ended at 0.5 s: org.example.rogue announced 48000 frames and ended 24000 before that"
            ],
            isStarted: true),
        Row(behaviour: "samples nan", told: ["ended track.rogue"], isStarted: true),
    ]

    private let shelf: BundleShelf

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.fixture("FixtureRogue"))
    }

    @Test(arguments: overdue + playing + throwing + lying)
    func hostContinuesAndNextTrackPlays(_ row: Row) async throws {
        let (text, process) = try await run(row.behaviour, seek: row.seek, next: row.next)
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(text)")
        for words in row.told + ["started next.wav", "ended next.wav", "over"] {
            #expect(text.contains(words), "no '\(words)' in:\n\(text)")
        }
        #expect(text.contains("unavailable org.example.rogue") == row.isRetired, "\(text)")
        #expect(text.contains("started track.rogue") == row.isStarted, "\(text)")
    }

    /// A bundle that aborts ends the host, because bundles run in the host's process.
    @Test(arguments: ["constructor", "initialiser", "make", "score", "open", "read", "seek", "close"])
    func abortingBundleEndsTheHost(_ place: String) async throws {
        let (text, process) = try await run("abort \(place)", seek: place == "seek" ? 0.4 : 0)
        #expect(process.terminationReason == .uncaughtSignal, "\(text)")
        #expect(process.terminationStatus == SIGABRT, "\(text)")
    }

    /// The linker is blocked while a constructor hangs; the error of a later bundle names the hanging one.
    @Test func laterBundleReportsTheHangingConstructor() async throws {
        let bundle = try shelf.write(BuiltLibrary.fixture("FixtureGood"))
        var files = try tracks()
        files.insert(try shelf.directory.write(Data("FIXT".utf8), to: "track.fixt"), at: 1)
        let host = try BuiltLibrary.folder.appendingPathComponent("RogueHost")
        let (process, text) = try await run(
            host, [shelf.folder.path, "0"] + files.map(\.path), ["DESCANT_ROGUE": "hang constructor"])
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(text)")
        #expect(text.contains("ended next.wav"), "\(text)")
        let rogue = shelf.folder.appendingPathComponent("FixtureRogue.descantplugin").path
        #expect(text.contains("it has not come back from a constructor of \(rogue)"), "\(text)")
        #expect(text.contains("unavailable org.descant.fixture.good"), "\(text)")
        #expect(try !BundleShelf.ran(bundle), "\(text)")
    }

    @Test func fixtureWithoutFaultPlays() async throws {
        let (text, _) = try await run("nothing", seek: 0)
        #expect(
            text.split(separator: "\n") == [
                "started track.rogue", "ended track.rogue", "started next.wav", "ended next.wav", "over",
            ])
    }

    // MARK: The program

    /// Ctrl-C ends the program even if a constructor hangs with the linker's lock, for which `exit` waits.
    @Test(arguments: ["constructor", "initialiser", "open", "read"], [1, 2])
    func controlCEndsTheProgram(_ place: String, times: Int) async throws {
        let mark = shelf.directory.file("hangs")
        // The rogue track is opened ahead of time while the other one plays.
        let files = try tracks(seconds: 60)
        let (process, text) = try await descant(
            "play", "--headless", "--output", "null", files[1].path, files[0].path, behaviour: "hang \(place)",
            mark: mark
        ) { process in
            while !FileManager.default.fileExists(atPath: mark.path), kill(process, 0) == 0 {
                try? await Task.sleep(for: .milliseconds(20))
            }
            for _ in 0..<times { kill(process, SIGINT) }
        }
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT, "\(text)")
    }

    @Test func hangingReadDoesNotBlockARender() async throws {
        let files = try tracks()
        let output = shelf.directory.file("rendered.wav")
        let (process, text) = try await descant(
            "render", "-o", output.path, files[0].path, files[1].path, behaviour: "hang read")
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("org.example.rogue: its read did not come back within 5.0 s"), "\(text)")
        #expect(try WAVFile(contentsOf: output).content.frameCount == 9_600)
    }

    @Test func hangingCallsAreReportedWhilePlaying() async throws {
        let files = try tracks()
        let (process, text) = try await descant(
            "play", "--headless", "--output", "null", files[0].path, files[1].path, behaviour: "hang read")
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("org.example.rogue hangs: its read did not come back within 5.0 s"), "\(text)")
    }

    /// Runs the program with the rogue bundle.
    private func descant(
        _ arguments: String..., behaviour: String, mark: URL? = nil,
        meanwhile: @escaping @Sendable (pid_t) async -> Void = { _ in }
    ) async throws -> (Process, String) {
        let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_PRODUCTS"].map { URL(fileURLWithPath: $0) }
        let program = try (folder ?? BuiltLibrary.folder).appendingPathComponent("descant")
        let environment = [
            "DESCANT_PLUGIN_PATH": shelf.folder.path, "DESCANT_ROGUE": behaviour,
            "DESCANT_ROGUE_MARK": mark?.path ?? "",
            "XDG_DATA_HOME": shelf.folder.path, "LC_ALL": "C.UTF-8",
        ]
        return try await run(program, arguments, environment, meanwhile: meanwhile)
    }

    private func tracks(seconds: Double = 0.2) throws -> [URL] {
        let next = shelf.directory.file("next.wav")
        try WAVFile(TestSignal.sine(440, seconds: seconds).samples(), encoding: .int16).data().write(to: next)
        return [try shelf.directory.write(Data("ROGU".utf8), to: "track.rogue"), next]
    }

    // MARK: Processes

    /// Plays the rogue track and then another one.
    private func run(_ behaviour: String, seek: Double, next: Double = 0.2) async throws -> (String, Process) {
        let host = try BuiltLibrary.folder.appendingPathComponent("RogueHost")
        let arguments = [shelf.folder.path, "\(seek)"] + (try tracks(seconds: next).map(\.path))
        let (process, text) = try await run(host, arguments, ["DESCANT_ROGUE": behaviour])
        return (text, process)
    }

    /// Runs a program; one that hangs is killed after two minutes.
    private func run(
        _ program: URL, _ arguments: [String], _ environment: [String: String],
        meanwhile: @escaping @Sendable (pid_t) async -> Void = { _ in }
    ) async throws -> (Process, String) {
        let output = try shelf.directory.write(Data(), to: "told")
        let told = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = told
        process.standardError = told
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        let identifier = process.processIdentifier
        let limit = Task {
            try await Task.sleep(for: .seconds(120))
            kill(identifier, SIGKILL)
        }
        let work = Task { await meanwhile(identifier) }
        for await _ in ended {}
        limit.cancel()
        work.cancel()
        return (process, String(decoding: try Data(contentsOf: output), as: UTF8.self))
    }
}
