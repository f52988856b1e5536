import Descant
import Foundation
import Synchronization
import Testing

@testable import PlayerIntegration

/// One entry in the desktop's media controls for the music and the book.
struct SharedRemoteTests {
    private final class Panel: RemoteControlPort {
        let told = Mutex<(shown: [NowPlaying], jumps: [Double], isClosed: Bool)>(([], [], false))
        let target = Mutex<(any RemoteCommandTarget)?>(nil)

        var shown: NowPlaying? { told.withLock { $0.shown.last } }
        func connect(to target: any RemoteCommandTarget) { self.target.withLock { $0 = target } }
        func publish(_ nowPlaying: NowPlaying) { told.withLock { $0.shown.append(nowPlaying) } }
        func positionJumped(to position: Double) { told.withLock { $0.jumps.append(position) } }
        func close() async { told.withLock { $0.isClosed = true } }
        func press(_ command: RemoteCommand) async throws {
            guard let target = target.withLock({ $0 }) else { throw CoreError.invalidState("nobody is connected") }
            try await target.perform(command)
        }
    }

    private final class Player: RemoteCommandTarget {
        let commands = Mutex<[RemoteCommand]>([])
        let position: Double
        init(at position: Double) { self.position = position }
        func perform(_ command: RemoteCommand) async throws { commands.withLock { $0.append(command) } }
        var remotePosition: Double { get async { position } }
    }

    private static func state(_ title: String, _ status: NowPlaying.Status, _ abilities: RemoteAbilities) -> NowPlaying
    {
        NowPlaying(
            status: status, track: NowPlayingTrack(id: .init(rawValue: title), title: title), volume: 0.5,
            abilities: abilities)
    }

    private let panel = Panel()

    @Test func whatPlayedLastIsShownAndCommanded() async throws {
        let shared = SharedRemote(panel)
        let (music, book) = (shared.music, shared.makeReaderPort())
        let (player, reader) = (Player(at: 1), Player(at: 2))
        music.publish(Self.state("song", .playing, [.play, .pause, .open, .quit]))
        music.connect(to: player)
        book.publish(Self.state("book", .stopped, [.play]))
        book.connect(to: reader)
        #expect(panel.shown?.track?.title == "song")
        try await panel.press(.pause)
        book.publish(Self.state("sentence", .playing, [.play, .pause, .next]))
        music.publish(Self.state("song", .paused, [.play, .pause, .open, .quit]))
        // The window's own abilities stay, and the music's do not.
        #expect(panel.shown?.track?.title == "sentence")
        #expect(panel.shown?.abilities == [.play, .pause, .next, .open, .quit])
        #expect(await shared.remotePosition == 2)
        try await panel.press(.next)
        try await panel.press(.setVolume(1))
        try await panel.press(.open(URL(fileURLWithPath: "/m/x.flac")))
        try await panel.press(.quit)
        book.positionJumped(to: 7)
        music.positionJumped(to: 8)
        // A pause leaves the book shown: the same key goes on.
        book.publish(Self.state("sentence", .paused, [.play, .pause]))
        try await panel.press(.togglePlayPause)
        #expect(panel.told.withLock { $0.jumps } == [7])
        #expect(reader.commands.withLock { $0 } == [.next, .togglePlayPause])
        #expect(
            player.commands.withLock { $0 } == [
                .pause, .setVolume(1), .open(URL(fileURLWithPath: "/m/x.flac")), .quit,
            ])
        music.publish(Self.state("song", .playing, [.play]))
        #expect(panel.shown?.track?.title == "song")
    }

    @Test func aBookThatIsClosedGivesTheEntryBack() async throws {
        let shared = SharedRemote(panel)
        let (music, first, second) = (shared.music, shared.makeReaderPort(), shared.makeReaderPort())
        let (player, reader) = (Player(at: 1), Player(at: 2))
        music.publish(Self.state("song", .paused, [.play]))
        music.connect(to: player)
        first.publish(Self.state("first", .playing, [.play]))
        second.publish(Self.state("second", .playing, [.play]))
        second.connect(to: reader)
        // The first book has been closed, and its end does not reach the second one.
        first.publish(.nothing)
        await first.close()
        #expect(panel.shown?.track?.title == "second")
        try await panel.press(.next)
        #expect(reader.commands.withLock { $0 } == [.next])
        await second.close()
        #expect(panel.shown?.track?.title == "song" && !panel.told.withLock { $0.isClosed })
        try await panel.press(.play)
        #expect(player.commands.withLock { $0 } == [.play])
        await music.close()
        #expect(panel.told.withLock { $0.isClosed })
    }
}
