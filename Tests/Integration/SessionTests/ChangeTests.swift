import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Other programs and devices during playback.
@Suite("Other programs and devices on real servers", .serialized, .timeLimit(.minutes(5)))
struct ChangeTests {
    @Test(
        "Another program that plays is told and leaves us alone",
        arguments: PrivateSoundServer.Kind.allCases, Subject.Kind.allCases)
    func otherPlayer(server: PrivateSoundServer.Kind, subject: Subject.Kind) async throws {
        let stage = try Stage(server, subject)
        let recording = try await MonitorRecording(of: Stage.speakers, at: stage.server.address)
        try await stage.play(recordedBy: recording)
        try stage.server.startOther(role: "music")
        let status = try await stage.status { $0.situation.isOtherAudioPlaying }
        #expect(status.situation.secondaryAudioShouldBeSilencedHint)
        #expect(status.state == .active)
        stage.server.stopOthers()
        try await stage.status { !$0.situation.isOtherAudioPlaying }
        #expect(await stage.subject.state == .playing)
        await stage.end()
        #expect(
            stage.sessionLog == [
                "session.activate", "session.otherAudio", "session.otherAudio", "session.deactivate",
            ])
    }

    @Test(
        "Another default device takes our sound with it, and we play on",
        arguments: PrivateSoundServer.Kind.allCases, Subject.Kind.allCases)
    func defaultChanges(server: PrivateSoundServer.Kind, subject: Subject.Kind) async throws {
        let stage = try Stage(server, subject)
        let speakers = try await MonitorRecording(of: Stage.speakers, at: stage.server.address)
        let headphones = try await MonitorRecording(of: Stage.headphones, at: stage.server.address)
        try await stage.play(recordedBy: speakers)
        try stage.server.control.setDefaultSink(Stage.headphones)
        try await stage.status { $0.situation.route.outputs.map(\.identifier) == [Stage.headphones] }
        try await headphones.wait(frames: headphones.frameCount + 48_000)
        #expect(await stage.subject.state == .playing)
        await stage.end()
        let heard = HeardFrames([
            SampleBuffer(stereo: await speakers.stop()), SampleBuffer(stereo: await headphones.stop()),
        ])
        // The server moves the stream and drops what the old device had taken.
        #expect(heard.last > 72_000, "\(heard)")
        #expect(heard.missing < 24_000, "\(heard)")
        #expect(stage.sessionLog.filter { $0 == "session.routeChange" }.count == 1)
    }

    @Test(
        "A device that is pulled out pauses us, and nothing comes out of the loudspeaker",
        arguments: PrivateSoundServer.Kind.allCases, Subject.Kind.allCases)
    func deviceGone(server: PrivateSoundServer.Kind, subject: Subject.Kind) async throws {
        let stage = try Stage(server, subject)
        try stage.server.changeDefaultDevice()
        try await stage.play()
        let recording = try await MonitorRecording(of: "bluetooth", at: stage.server.address)
        try await recording.wait(frames: recording.frameCount + 24_000)
        let speakers = try await MonitorRecording(of: Stage.speakers, at: stage.server.address)
        try stage.server.removeDevice()
        try await stage.subject.wait(for: .paused)
        // Plugged in again: a new device does not resume playback.
        try stage.server.changeDefaultDevice()
        try await stage.status { $0.situation.route.outputs.map(\.identifier) == ["bluetooth"] }
        try await speakers.wait(frames: speakers.frameCount + 24_000)
        #expect(await stage.subject.state == .paused)
        let heard = HeardFrames([SampleBuffer(stereo: await speakers.stop())])
        try await stage.subject.resume()
        #expect(await stage.subject.state == .playing)
        await stage.end()
        #expect(heard.last - heard.first < 24_000, "what came out before the pause: \(heard)")
        let gone = stage.logger.events.filter { $0.name == "session.routeChange" }
            .compactMap { $0.fields[.reason]?.description }
        #expect(gone.first == "oldDeviceUnavailable" && gone.count { $0 == "oldDeviceUnavailable" } == 1, "\(gone)")
    }
}
