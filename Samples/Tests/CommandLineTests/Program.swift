import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// A program of this package, run to its end.
struct Program {
    let status: Int32
    let output: String
    let errors: String

    /// The folder of the built programs: beside the test runner, or where `DESCANT_TEST_PRODUCTS` says.
    static var products: URL {
        if let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_PRODUCTS"] {
            return URL(fileURLWithPath: folder)
        }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// The folder below which the programs of this run find their settings and keep their state.
    private static let home = FileManager.default.temporaryDirectory.appendingPathComponent(
        "descant-home-\(ProcessInfo.processInfo.processIdentifier)")

    /// Environment variables of every run: no sound server, only the plugins that a test names, no colours, no settings.
    static func environment(_ changes: [String: String] = [:]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["PULSE_SERVER"] = "unix:/nonexistent/descant-test"
        environment["LC_ALL"] = "C.UTF-8"
        // Of several players with one folder, only the first keeps its place.
        environment["XDG_STATE_HOME"] = home.appendingPathComponent("state/\(UUID())").path
        environment["XDG_CONFIG_HOME"] = home.appendingPathComponent("config").path
        environment["TERM"] = "xterm-256color"
        for name in ["DESCANT_PLUGIN_PATH", "NO_COLOR", "COLORTERM", "RATE", "CHECK"] { environment[name] = nil }
        return environment.merging(changes) { $1 }
    }

    static func make(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], folder: URL? = nil
    ) -> Process {
        let process = Process()
        let program = products.appendingPathComponent(name)
        let isOurs = FileManager.default.isExecutableFile(atPath: program.path)
        // Other names are tools of the system.
        process.executableURL = isOurs ? program : URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = isOurs ? arguments : [name] + arguments
        process.environment = Self.environment(environment)
        process.standardInput = FileHandle.nullDevice
        if let folder { process.currentDirectoryURL = folder }
        return process
    }

    @discardableResult
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], folder: URL? = nil
    ) async throws -> Program {
        let process = make(name, arguments, environment: environment, folder: folder)
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        async let outputData = output.fileHandleForReading.allBytes()
        async let errorData = errors.fileHandleForReading.allBytes()
        let (outputText, errorText) = (
            String(decoding: await outputData, as: UTF8.self), String(decoding: await errorData, as: UTF8.self)
        )
        process.waitUntilExit()
        return Program(status: process.shellStatus, output: outputText, errors: errorText)
    }

    /// Runs `descant`.
    static func descant(
        _ arguments: String..., environment: [String: String] = [:], folder: URL? = nil
    ) async throws -> Program {
        try await run("descant", arguments, environment: environment, folder: folder)
    }

    /// Runs `descant` for somebody who may not read and write everything: a program of root's is run without the two capabilities for that.
    static func withoutPrivilege(_ arguments: [String], environment: [String: String] = [:]) async throws -> Program {
        guard getuid() == 0 else { return try await run("descant", arguments, environment: environment) }
        let drop = ["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
        return try await run(
            "setpriv", drop + [products.appendingPathComponent("descant").path] + arguments, environment: environment)
    }

    /// Expects that `descant` names a standard output that cannot be written, and ends with 74.
    static func expectFullOutputIsReported(
        _ arguments: [String], environment: [String: String] = [:], folder: URL? = nil
    ) async throws {
        let process = make("descant", arguments, environment: environment, folder: folder)
        let errors = Pipe()
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        process.standardError = errors
        try process.run()
        let told = String(decoding: await errors.fileHandleForReading.allBytes(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 74, "\(arguments)")
        #expect(told.contains("the standard output cannot be written"), "\(told)")
    }

    /// The printed JSON.
    func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(output.utf8))
    }
}

extension Process {
    /// The status as shells give it: 128 and the number of the signal that the process died of.
    var shellStatus: Int32 { (terminationReason == .uncaughtSignal ? 128 : 0) + terminationStatus }
}
