import DescantCore
import DescantPlayback
import DescantTesting
import Foundation

/// Three tracks of 6 s with levels of their own and a player brought to a moment of the table.
///
/// Crossfades take 2 s, the fade of `stop()` 1 s, both linear. Where something is heard or was heard, the second track is the current
/// one; in a crossfade the third one comes in; 1 s before the end it is the third one that ends. While the player prepares, the
/// second one is being opened, until ``release()``.
struct TransitionStage {
    static let first: Float = 0.1
    static let second: Float = 0.2
    static let third: Float = 0.3
    static let new: Float = 0.5

    let session: PlayerSession
    let moment: TransitionMoment
    let urls: [URL]
    let newTrack: URL
    /// The frame at which the call comes.
    let start: Int
    /// The call that opens the second track.
    private let opening: Task<Void, any Error>?

    init(_ moment: TransitionMoment) async throws {
        self.moment = moment
        session = await PlayerSession()
        newTrack = session.track("new", level: Self.new, seconds: 6)
        let three = [
            session.track("first", level: Self.first, seconds: 6),
            session.track("second", level: Self.second, seconds: 6, fault: Self.fault(at: moment)),
            session.track("third", level: Self.third, seconds: 6),
        ]
        urls = moment == .failed ? Array(three[..<2]) + [PlayerSession.url("missing")] : three
        opening = try await Self.reach(moment, session, urls)
        start = session.manual.rendered.samples.count
    }

    private static func fault(at moment: TransitionMoment) -> DeckFault? {
        guard moment == .preparing else { return nil }
        var fault = DeckFault()
        fault.opensOnRelease = true
        return fault
    }

    /// Lets the file open that the player waits for.
    func release() async {
        session.manual.decks.release(urls[1].path)
        _ = await opening?.result
    }

    private static func prepare(_ session: PlayerSession, _ urls: [URL]) async -> Task<Void, any Error> {
        let player = session.player
        let opening = Task { try await player.jumpToTrack(at: 1) }
        while !session.manual.decks.openedNames.contains(urls[1].path) { await Task.yield() }
        return opening
    }

    private static func reach(
        _ moment: TransitionMoment, _ session: PlayerSession, _ urls: [URL]
    ) async throws -> Task<Void, any Error>? {
        let player = session.player
        var configuration = PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .linear, stopFadeDuration: 1)
        if moment == .hurrying { configuration.transitionInterruption = .fastForward }
        if moment == .idle || moment == .preparing {
            try await player.updateConfiguration(configuration)
            try await player.swapPlaylist(tracks: urls)
            return moment == .preparing ? await prepare(session, urls) : nil
        }
        try await player.loadPlaylist(urls, configuration: configuration, startingAt: moment == .ending ? 2 : 1)
        if moment == .failed {
            try await session.finish()
            try await session.wait(for: .failed(.fileNotFound(urls[2])))
            return nil
        }
        try await session.advance(moment == .ending ? 5 : 2)
        switch moment {
        case .crossfading, .hurrying, .pausedCrossfading:
            try await player.nextTrack()
            try await session.advance(0.5)
        case .fadingOut:
            await player.stop()
            try await session.advance(0.5)
        case .finished: await player.stop(fadeDuration: 0)
        default: break
        }
        if moment == .finished { try await session.advance(0.5) }
        guard moment == .paused || moment == .pausedCrossfading else { return nil }
        try await player.pause()
        try await session.advance(0.5)
        return nil
    }

    /// The samples rendered since the call.
    var heard: [Float] { Array(session.manual.rendered.samples[start...]) }

    /// The sound without a call, for some seconds.
    static func undisturbed(_ moment: TransitionMoment, seconds: Double) async throws -> [Float] {
        let stage = try await TransitionStage(moment)
        await stage.release()
        try await stage.session.advance(seconds)
        return stage.heard
    }
}
