import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// A player that is under remote control without a call of its host.
@Suite(.timeLimit(.minutes(2)))
struct OwnRemoteControlTests {
    private let manual = ManualMixingEngine.offline(format: PlayerSession.format)
    private let song = PlayerSession.url("song")

    init() {
        let samples = [Float](repeating: 0.25, count: 8_000)
        manual.decks.register(SampleBuffer(format: PlayerSession.format, samples: samples), for: song)
    }

    @Test func playerIsShownFromItsFirstCommandOn() async throws {
        let remote = ConnectedRemote()
        let player = AudioPlayerService(engine: manual.engine, remoteControl: { remote })
        #expect(remote.target.present == nil)
        try await player.loadPlaylist([song])
        let target = await remote.target.value
        try await target.perform(.pause)
        #expect(await player.state == .paused)
        #expect(remote.published.newest?.status == .paused && remote.published.newest?.track?.title == "song")
        await player.stop()
        for await shown in remote.published.updates where shown?.track == nil { break }
        await player.disconnectRemoteControl()
        #expect(remote.closed.present != nil)
    }

    @Test func remoteControlOfTheHostTakesItsPlace() async throws {
        let (own, chosen) = (ConnectedRemote(), ConnectedRemote())
        let player = AudioPlayerService(engine: manual.engine, remoteControl: { own })
        await player.connectRemoteControl(chosen)
        try await player.loadPlaylist([song])
        try await chosen.target.value.perform(.pause)
        #expect(own.target.present == nil && own.published.newest == nil)
        await player.disconnectRemoteControl()
    }

    @Test func disconnectingBeforeTheFirstCommandKeepsItOff() async throws {
        let own = ConnectedRemote()
        let player = AudioPlayerService(engine: manual.engine, remoteControl: { own })
        await player.disconnectRemoteControl()
        try await player.loadPlaylist([song])
        #expect(own.target.present == nil && own.published.newest == nil)
    }

    @Test func remoteControlEndsWithThePlayer() async throws {
        let own = ConnectedRemote()
        var player: AudioPlayerService? = AudioPlayerService(engine: manual.engine, remoteControl: { own })
        await player?.setup()
        _ = await own.target.value
        player = nil
        await own.closed.value
    }
}

/// A remote control that tells when it is connected and closed.
private final class ConnectedRemote: RemoteControlPort {
    /// Keeps what is published for a test.
    struct Published: Sendable {
        private let hub = EventHub<NowPlaying?>(initial: nil)

        var newest: NowPlaying? { hub.snapshot ?? nil }
        var updates: EventStream<NowPlaying?> { hub.stream(buffer: .newest) }

        func post(_ nowPlaying: NowPlaying) { hub.post(nowPlaying) }
    }

    let target = Promise<any RemoteCommandTarget>()
    let closed = Promise<Void>()
    let published = Published()

    func connect(to target: any RemoteCommandTarget) { self.target.resolve(WeakTarget(target)) }
    func publish(_ nowPlaying: NowPlaying) { published.post(nowPlaying) }
    func positionJumped(to position: Double) {}
    func close() async { closed.resolve(()) }
}

/// Commands a target without keeping it.
private final class WeakTarget: RemoteCommandTarget {
    private let bridge: @Sendable () -> (any RemoteCommandTarget)?

    init(_ target: any RemoteCommandTarget) { bridge = { [weak target] in target } }

    var remotePosition: Double { get async { await bridge()?.remotePosition ?? 0 } }

    func perform(_ command: RemoteCommand) async throws {
        guard let bridge = bridge() else { throw CoreError.invalidState("the player is gone") }
        try await bridge.perform(command)
    }
}
