import DescantPlayback
import Foundation

/// A row of the transition table: a call.
enum TransitionCommand: String, CaseIterable, Sendable {
    case pause = "pause()"
    case resume = "resume()"
    case stop = "stop()"
    case stopAtOnce = "stopImmediatelyWithoutFade()"
    case finish = "finish()"
    case next = "nextTrack()"
    case previous = "previousTrack()"
    case jump = "jumpToTrack(at: 0)"
    case select = "selectTrack(at: 0)"
    case replace = "replaceTrack(url:crossfadeDuration:)"
    case swap = "swapPlaylist(tracks:crossfadeDuration:)"
    case remove = "removeTrackFromPlaylist(at:) of the current"
    case seek = "seekWithFade(to:fadeDuration:)"
    case skip = "skipForward(by:)"
    case load = "loadPlaylist(_:configuration:startingAt:)"
    case startPlaying = "startPlaying(url:configuration:)"
    case update = "updateConfiguration(_:)"
    case pauseAll = "pauseAll()"
    case resumeAll = "resumeAll()"
    case stopAll = "stopAll(fadeDuration:)"
    case reset = "reset()"

    /// Whether the call opens a file and waits for calls that do so already.
    var opensFile: Bool {
        switch self {
        case .next, .previous, .jump, .replace, .swap, .load, .startPlaying: true
        default: false
        }
    }

    /// Where ``seek`` leads, in seconds.
    static let target = 3.0

    func run(on stage: TransitionStage) async throws {
        let player = stage.session.player
        switch self {
        case .pause: try await player.pause()
        case .resume: try await player.resume()
        case .stop: await player.stop()
        case .stopAtOnce: await player.stopImmediatelyWithoutFade()
        case .finish: try await player.finish()
        case .next: try await player.nextTrack()
        case .previous: try await player.previousTrack()
        case .jump: try await player.jumpToTrack(at: 0)
        case .select: try await player.selectTrack(at: 0)
        case .replace: try await player.replaceTrack(url: stage.newTrack, crossfadeDuration: 2)
        case .swap: try await player.swapPlaylist(tracks: [stage.newTrack], crossfadeDuration: 2)
        case .remove:
            // While nothing plays yet, the track that is being opened.
            let index = stage.moment == .preparing ? 1 : await player.getCurrentTrackIndex()
            try await player.removeTrackFromPlaylist(at: index)
        case .seek: try await player.seekWithFade(to: Self.target)
        case .skip: try await player.skipForward(by: 0.5)
        case .load: try await player.loadPlaylist([stage.newTrack])
        case .startPlaying:
            try await player.startPlaying(url: stage.newTrack, configuration: await player.configuration)
        case .update:
            var configuration = await player.configuration
            configuration.volume = 50
            try await player.updateConfiguration(configuration)
        case .pauseAll: await player.pauseAll()
        case .resumeAll: await player.resumeAll()
        case .stopAll: await player.stopAll()
        case .reset: await player.reset()
        }
    }
}
