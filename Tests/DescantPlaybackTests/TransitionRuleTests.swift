import DescantCore
import Foundation
import Testing

@testable import DescantPlayback

/// The length of crossfades, the calls that a state permits, and the times of position reports.
struct TransitionRuleTests {
    private func track(_ duration: Double, tags: TagBundle = TagBundle()) -> TrackInfo {
        TrackInfo(
            title: "t", duration: duration, format: AudioFormat(sampleRate: 48_000, channelCount: 2), tags: tags)
    }

    @Test(arguments: [
        (10, 60, 60, 10), (10, 20, 60, 8), (10, 60, 15, 6), (10, 0, 15, 6), (10, 0, 0, 10), (10, 0.2, 60, 0),
        (0, 60, 60, 0),
    ])
    func overlapIsAtMostFortyPercent(wanted: Double, first: Double, second: Double, expected: Double) {
        let rule = TransitionRule(configuration: PlayerConfiguration())
        #expect(abs(rule.overlap(wanted, from: track(first), to: track(second)) - expected) < 1e-9)
    }

    @Test func doubleSpeedHalvesTheTrackLength() {
        let rule = TransitionRule(configuration: PlayerConfiguration(), rate: 2)
        #expect(rule.overlap(10, from: track(20), to: track(60)) == 4)
    }

    @Test func joinFollowsTheConfiguration() {
        let gapless = TransitionRule(configuration: PlayerConfiguration(crossfadeDuration: 0))
        #expect(gapless.join(from: track(60), to: track(60)) == .gapless)
        #expect(gapless.entry(0, from: track(60), to: track(60)) == .cut)
        let fading = TransitionRule(configuration: PlayerConfiguration(crossfadeDuration: 4, fadeCurve: .sCurve))
        #expect(fading.join(from: track(60), to: track(60)) == .crossfade(4, curve: .sCurve))
        #expect(fading.entry(4, from: track(60), to: track(60)) == .crossfade(4, curve: .sCurve))
    }

    @Test func gaplessAlbumsIsOptional() {
        func tags(_ album: String?, _ number: Int?, disc: Int? = nil) -> TagBundle {
            var tags = TagBundle()
            tags.album = album
            tags.trackNumber = number
            tags.discNumber = disc
            return tags
        }
        #expect(TransitionRule.followsInAlbum(tags("A", 1), tags("A", 2)))
        #expect(TransitionRule.followsInAlbum(tags("A", 9, disc: 1), tags("A", 1, disc: 2)))
        #expect(!TransitionRule.followsInAlbum(tags("A", 1), tags("A", 3)))
        #expect(!TransitionRule.followsInAlbum(tags("A", 2), tags("A", 1)))
        #expect(!TransitionRule.followsInAlbum(tags("A", 1), tags("B", 2)))
        #expect(!TransitionRule.followsInAlbum(tags("A", .max), tags("A", 1)))
        #expect(!TransitionRule.followsInAlbum(tags("A", 9, disc: .max), tags("A", 1, disc: 1)))
        #expect(!TransitionRule.followsInAlbum(tags(nil, 1), tags(nil, 2)))
        let rule = TransitionRule(configuration: PlayerConfiguration(gaplessAlbums: true))
        #expect(rule.join(from: track(60, tags: tags("A", 1)), to: track(60, tags: tags("A", 2))) == .gapless)
        #expect(rule.join(from: track(60), to: track(60)) == .crossfade(10, curve: .equalPower))
    }

    @Test func equallyNamedAlbumsOfTwoArtistsAreCrossfaded() {
        func track(_ number: Int, by artist: String) -> TrackInfo {
            self.track(60, tags: TagBundle(album: "Greatest Hits", albumArtist: artist, trackNumber: number))
        }
        let rule = TransitionRule(configuration: PlayerConfiguration(gaplessAlbums: true))
        #expect(rule.join(from: track(1, by: "A"), to: track(2, by: "A")) == .gapless)
        #expect(rule.join(from: track(1, by: "A"), to: track(2, by: "B")) == .crossfade(10, curve: .equalPower))
    }

    // MARK: State table

    private static let states: [PlayerState] = [
        .idle, .preparing, .playing, .paused, .fadingOut, .finished, .failed(.emptyPlaylist),
    ]

    /// Rows: commands; columns: the states above; "x" is legal, "n" means that there is no active track.
    private static let table: [PlayerCommand: String] = [
        .pause: "-xxx---", .resume: "---x---", .seek: "--xx---", .skip: "--xx---", .next: "xxxx-xx",
        .previous: "xxxx-xx", .jump: "xxxx-xx", .replace: "nxxx-nn", .swap: "xxxx-xx", .select: "x----xx",
        .finish: "--xx---",
    ]

    @Test(arguments: PlayerCommand.allCases)
    func commandsAreAllowedInTheirStates(command: PlayerCommand) throws {
        let row = try #require(Self.table[command])
        for (state, cell) in zip(Self.states, row) {
            switch cell {
            case "x": #expect(throws: Never.self, "\(command) in \(state)") { try command.check(in: state) }
            case "n":
                #expect(throws: AudioPlayerError.noActiveTrack, "\(command) in \(state)") {
                    try command.check(in: state)
                }
            default:
                let error = AudioPlayerError.invalidState(current: state.name, attempted: command.attempted)
                #expect(throws: error, "\(command) in \(state)") { try command.check(in: state) }
            }
        }
    }

    // MARK: Positions

    @Test func positionsAreDueOncePerInterval() {
        var pacer = PositionPacer(interval: 0.5)
        let due = stride(from: 0.0, to: 2, by: 0.1).filter { pacer.isDue(at: $0 + 0.01, jumped: false) }
        #expect(due.count == 4)
        let afterJump = pacer.isDue(at: 0.3, jumped: true)
        let soonAfter = pacer.isDue(at: 0.4, jumped: false)
        #expect(afterJump && !soonAfter)
        #expect(abs(pacer.distance(from: 0.3) - 0.2) < 0.002)
    }

    @Test func intervalsHaveALimit() {
        #expect(PositionPacer(interval: 0).interval == 1.0 / 60)
        #expect(PositionPacer(interval: .nan).interval == 1.0 / 60)
    }
}
