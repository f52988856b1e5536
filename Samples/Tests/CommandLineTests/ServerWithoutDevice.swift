import DescantTestSupport
import Testing

extension PrivatePulseServer {
    /// A server as on a machine without a sound card: its only sink is the placeholder of PulseAudio, which nobody hears.
    static func withoutDevice() async throws -> PrivatePulseServer {
        let server = try PrivatePulseServer(modules: ["module-always-sink"])
        // The placeholder is loaded when the last sink goes.
        let result = try await Program.run(
            "pactl", ["--server=\(server.address)", "unload-module", "module-null-sink"])
        try #require(result.status == 0, "\(result.errors)")
        try #require(try server.control.defaultSink() == "auto_null")
        return server
    }
}
