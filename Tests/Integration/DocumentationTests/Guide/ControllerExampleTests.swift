import Descant
import DescantTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ControllerExampleTests {
    @Test func guideExamplePlays() async throws {
        let folder = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 70).samples(), as: .flac(bits: 16), to: folder.file("a.flac"))
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let controller = await makeController(in: environment, output: .null)
        try await playAndSwitch(controller, file: file, other: "espeak")
        #expect(await controller.state.nowPlaying == nil)
        #expect(await controller.state.engine == "gstreamer")
    }
}
