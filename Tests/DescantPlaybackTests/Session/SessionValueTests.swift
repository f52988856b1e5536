import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// The values that an audio session consists of, without a coordinator.
@Suite struct SessionValueTests {
    /// A client that plays at any gain above 0, and takes its first gain when it is released.
    private actor Client: AudioSessionClient {
        nonisolated let sessionClient = AudioSessionClientID()
        nonisolated let release = Promise<Void>()
        let sessionName = "client"
        private(set) var gains: [Double] = []
        private var isWaiting = false

        func pauseForSession(_ cause: AudioSessionCause) -> InterruptionToken? { nil }
        func resumeForSession(_ token: InterruptionToken) {}
        func setSessionGain(_ gain: Double) async -> Bool {
            if !isWaiting {
                isWaiting = true
                await release.value
            }
            gains.append(gain)
            return gain > 0
        }
        func sessionServerLost(_ reason: String) {}
        func sessionServerRestored() {}
    }

    // MARK: Clients

    private func member(_ client: Client, _ name: String) -> ActiveSession.Member {
        ActiveSession.Member(id: client.sessionClient, name: name, client: client)
    }

    @Test func aClientIsOneMemberAndKeepsItsPlace() {
        let (first, second) = (Client(), Client())
        var session = ActiveSession()
        #expect(session.isEmpty)
        var replaced = [session.add(member(first, "old"))]
        #expect(session.hasOnly(first.sessionClient))
        replaced += [session.add(member(second, "second")), session.add(member(first, "new"))]
        #expect(replaced == [nil, nil, "old"])
        #expect(session.names == ["new", "second"])
        #expect(!session.hasOnly(first.sessionClient))
        #expect(session.client(second.sessionClient) === second)
    }

    @Test func aMemberIsRemovedOnce() {
        let client = Client()
        var session = ActiveSession()
        _ = session.add(member(client, "client"))
        let removed = [session.remove(client.sessionClient), session.remove(client.sessionClient)]
        #expect(removed.map { $0?.name } == ["client", nil])
        #expect(session.isEmpty)
    }

    @Test func aReleasedClientIsNoMember() {
        let kept = Client()
        var session = ActiveSession()
        _ = session.add(member(kept, "kept"))
        _ = session.add(member(Client(), "released"))
        session.removeReleased()
        #expect(session.names == ["kept"])
    }

    // MARK: Routes

    private func route(_ outputs: String...) -> AudioRoute {
        AudioRoute(outputs: outputs.map { AudioDevice($0) })
    }

    /// A session that began on headphones.
    private func onHeadphones() -> DesktopSound {
        var desktop = DesktopSound()
        desktop.update(AudioSessionSnapshot(isServerAvailable: true, route: route("headphones")))
        desktop.begin()
        return desktop
    }

    @Test func aReportedRouteCountsWhenItSettles() {
        var desktop = onHeadphones()
        desktop.report(route("loudspeaker"), .override)
        #expect(desktop.situation.route == route("loudspeaker"))
        #expect(desktop.settledRoute == route("headphones"))
        let changes = [desktop.settleRoute(), desktop.settleRoute()]
        #expect(
            changes == [
                DesktopSound.RouteChange(previous: route("headphones"), isDeviceGone: false, reason: .override), nil,
            ])
        #expect(desktop.settledRoute == route("loudspeaker"))
        #expect(desktop.reportedChanges.isEmpty)
    }

    @Test func aDeviceThatComesBackInTimeIsNotGone() {
        var desktop = onHeadphones()
        desktop.report(route("loudspeaker"), .oldDeviceUnavailable)
        desktop.report(route("headphones"), .newDeviceAvailable)
        let change = desktop.settleRoute()
        #expect(change == nil)
    }

    /// The server moves the stream first, and reports much later why.
    @Test func aDeviceMayBeReportedGoneWhenItsStreamHasMoved() {
        var desktop = onHeadphones()
        desktop.report(route("loudspeaker"), .override)
        _ = desktop.settleRoute()
        desktop.report(route("loudspeaker"), .oldDeviceUnavailable)
        let changes = [desktop.settleRoute(), desktop.settleRoute()]
        #expect(
            changes == [
                DesktopSound.RouteChange(
                    previous: route("headphones"), isDeviceGone: true, reason: .oldDeviceUnavailable), nil,
            ])
    }

    /// A report that has not settled at the end of a session does not count in the next one.
    @Test func aReportOfTheEarlierDeviceEndsWithItsSession() {
        var desktop = onHeadphones()
        desktop.report(route("loudspeaker"), .override)
        _ = desktop.settleRoute()
        desktop.report(route("loudspeaker"), .oldDeviceUnavailable)
        desktop.end()
        desktop.begin()
        desktop.report(route("usb"), .override)
        let change = desktop.settleRoute()
        #expect(change?.previous == route("loudspeaker"))
        #expect(change?.isDeviceGone == false)
    }

    @Test func aDeviceThatStaysAwayIsGone() {
        var desktop = onHeadphones()
        desktop.report(route(), .oldDeviceUnavailable)
        desktop.report(route("loudspeaker"), .newDeviceAvailable)
        let change = desktop.settleRoute()
        #expect(change?.isDeviceGone == true)
        #expect(change?.reason == .oldDeviceUnavailable)
        #expect(change?.previous == route("headphones"))
    }

    // MARK: The server

    @Test func aLostServerForgetsWhatItReported() {
        var desktop = onHeadphones()
        desktop.report(route("loudspeaker"), .override)
        let isNews = [desktop.loseServer(), desktop.loseServer()]
        #expect(isNews == [true, false])
        #expect(desktop.isServerLost)
        #expect(!desktop.situation.isServerAvailable)
        #expect(desktop.reportedChanges.isEmpty)
        let wasLost = [desktop.restoreServer(), desktop.restoreServer()]
        #expect(wasLost == [true, false])
    }

    @Test func theSituationOutlivesTheSession() {
        var desktop = onHeadphones()
        _ = desktop.loseServer()
        desktop.report(route("loudspeaker"), .override)
        desktop.end()
        #expect(!desktop.isServerLost)
        #expect(desktop.reportedChanges.isEmpty)
        #expect(desktop.situation.route == route("loudspeaker"))
    }

    @Test func streamsAreKnownOnce() {
        var desktop = DesktopSound()
        let call = ForeignStream(identifier: 7, application: "Phone", role: .phone)
        let music = ForeignStream(identifier: 8, application: "Other", role: .music)
        let isNew = [desktop.add(call), desktop.add(call), desktop.add(music)]
        #expect(isNew == [true, false, true])
        #expect(desktop.calls == [7])
        let wasKnown = [desktop.remove(call), desktop.remove(call)]
        #expect(wasKnown == [true, false])
        #expect(desktop.calls.isEmpty)
        #expect(desktop.situation.foreignStreams == [music])
    }

    // MARK: Interruptions

    @Test func anInterruptionLastsAsLongAsAnyCause() {
        var interruption = SessionInterruption(reason: "phone", calls: [1])
        interruption.add(call: 2)
        interruption.end(call: 1)
        #expect(!interruption.isOver)
        interruption.end(call: 2)
        #expect(interruption.isOver)
        interruption.serverSilences()
        #expect(!interruption.isOver)
        interruption.end(call: 2)
        #expect(!interruption.isOver, "no conversation has ended")
        interruption.serverReleases()
        #expect(interruption.isOver)
    }

    @Test func lastConversationEndsTheServersInterruption() {
        var interruption = SessionInterruption(reason: "phone", calls: [1, 2])
        interruption.serverSilences()
        interruption.end(call: 1)
        #expect(interruption.isWantedByServer)
        interruption.end(call: 2)
        #expect(interruption.isOver)
    }

    @Test func restartWithoutConversationsEndsTheInterruption() {
        var interruption = SessionInterruption(reason: "phone", calls: [1])
        interruption.serverSilences()
        interruption.restart(calls: [3])
        #expect(interruption.isWantedByServer)
        interruption.update(calls: [])
        #expect(!interruption.isOver)
        interruption.restart(calls: [])
        #expect(interruption.isOver)
    }

    @Test func clientsThatLeaveDoNotResume() {
        let (first, second) = (AudioSessionClientID(), AudioSessionClientID())
        var interruption = SessionInterruption(reason: "phone", calls: [1])
        interruption.pause(first, InterruptionToken(commands: 1))
        interruption.pause(second, InterruptionToken(commands: 2))
        interruption.removePaused(first)
        #expect(interruption.paused.map(\.client) == [second])
        interruption.serverReleases()
        #expect(interruption.paused.map(\.token.commands) == [2])
        interruption.resumeNobody()
        #expect(interruption.paused.isEmpty)
        interruption.duck(first)
        let wasDucked = [interruption.removeDucked(first), interruption.removeDucked(first)]
        #expect(wasDucked == [true, false])
    }

    // MARK: Calls

    @Test func callsArriveInTheirOrder() async {
        let client = Client()
        var calls = ClientCalls()
        let first = calls.add(to: client.sessionClient) { _ = await client.setSessionGain(0.5) }
        let last = calls.add(to: client.sessionClient) { _ = await client.setSessionGain(0) }
        // The second call would overtake the first one now.
        for _ in 0..<1_000 { await Task.yield() }
        client.release.resolve(())
        await first.value
        await last.value
        #expect(await client.gains == [0.5, 0])
    }
}
