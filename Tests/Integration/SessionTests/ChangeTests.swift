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
            stage.sessionLogOfPlaying == [
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
        try await stage.wait(for: 96_000, in: headphones)
        #expect(await stage.subject.state == .playing)
        // The change is logged when the route has settled.
        await stage.logger.wait(for: "session.routeChange")
        await stage.end()
        let heard = HeardFrames([
            SampleBuffer(stereo: await speakers.stop()), SampleBuffer(stereo: await headphones.stop()),
        ])
        // The server moves the stream and drops what the old device had taken.
        #expect(heard.last > 72_000, "\(heard)")
        #expect(heard.missing < 24_000, "\(heard)")
        // PipeWire may move a stream in steps.
        let changes = stage.sessionLog.count { $0 == "session.routeChange" }
        #expect(server == .pulseAudio ? changes == 1 : changes >= 1)
    }

    @Test(
        "A device that is pulled out pauses us, and nothing comes out of the loudspeaker",
        arguments: PrivateSoundServer.Kind.allCases, Subject.Kind.allCases)
    func deviceGone(server: PrivateSoundServer.Kind, subject: Subject.Kind) async throws {
        var problems = ["not tried"]
        // On a busy machine the pause may come late, or the server tells late that the device is gone: more tries.
        for _ in 0..<3 where !problems.isEmpty { problems = try await pullOut(Stage(server, subject), of: server) }
        #expect(problems.isEmpty, "\(problems)")
    }

    /// Pulls out the device that is played to, and plugs it in again.
    ///
    /// - Returns: What was wrong and may be due to a busy machine.
    private func pullOut(_ stage: Stage, of server: PrivateSoundServer.Kind) async throws -> [String] {
        try stage.server.changeDefaultDevice()
        try await stage.play()
        let recording = try await MonitorRecording(of: "bluetooth", at: stage.server.address)
        try await stage.wait(for: 24_000, in: recording)
        let speakers = try await MonitorRecording(of: Stage.speakers, at: stage.server.address)
        let earlier = stage.routeChanges.count
        try stage.server.removeDevice()
        await stage.logger.wait(for: "session.routeChange", count: earlier + 1)
        let change = stage.routeChanges.dropFirst(earlier).first
        guard change == "oldDeviceUnavailable" || server == .pulseAudio else {
            await stage.end()
            return ["the stream was moved for the reason \(change ?? "") before the device was told to be gone"]
        }
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
        let gone = stage.routeChanges
        #expect(gone.count { $0 == "oldDeviceUnavailable" } == 1, "\(gone)")
        // PipeWire may have a new stream on another device for a moment.
        #expect(server == .pipeWire || gone.first == "oldDeviceUnavailable", "\(gone)")
        return heard.last - heard.first < 24_000 ? [] : ["what came out before the pause: \(heard)"]
    }
}
