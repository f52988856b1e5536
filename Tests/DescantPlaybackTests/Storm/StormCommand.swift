import DescantPlayback
import DescantTesting
import Foundation

/// One call to a player, with its arguments.
enum StormCommand: Sendable {
    case load([URL], PlayerConfiguration, startingAt: Int?)
    case startPlaying(URL, PlayerConfiguration)
    case next, previous
    case jump(Int)
    case replace(URL, Double)
    case swap([URL], Double)
    case add([URL])
    case insert([URL], Int)
    case remove(Int)
    case move(Int, Int)
    case pause, resume, pauseAll, resumeAll
    case stop(Double?)
    case finish(Double?)
    case reset, stopAll
    case seek(Double, fade: Double)
    case skip(Double)
    case repeatMode(RepeatMode)
    case shuffle(Bool, UInt64)
    case sleep(SleepTimer, Double)
    case wake
    case overlay(URL), stopOverlay, pauseOverlay, resumeOverlay

    func run(on player: AudioPlayerService) async throws {
        switch self {
        case .load(let urls, let configuration, let index):
            try await player.loadPlaylist(urls, configuration: configuration, startingAt: index)
        case .startPlaying(let url, let configuration):
            try await player.startPlaying(url: url, configuration: configuration)
        case .next: try await player.nextTrack()
        case .previous: try await player.previousTrack()
        case .jump(let index): try await player.jumpToTrack(at: index)
        case .replace(let url, let fade): try await player.replaceTrack(url: url, crossfadeDuration: fade)
        case .swap(let urls, let fade): try await player.swapPlaylist(tracks: urls, crossfadeDuration: fade)
        case .add(let urls): await player.addTracksToPlaylist(urls)
        case .insert(let urls, let index): try await player.insertTracksInPlaylist(urls, at: index)
        case .remove(let index): try await player.removeTrackFromPlaylist(at: index)
        case .move(let from, let to): try await player.moveTrackInPlaylist(from: from, to: to)
        case .pause: try await player.pause()
        case .resume: try await player.resume()
        case .pauseAll: await player.pauseAll()
        case .resumeAll: await player.resumeAll()
        case .stop(let fade): await player.stop(fadeDuration: fade)
        case .finish(let fade): try await player.finish(fadeDuration: fade)
        case .reset: await player.reset()
        case .stopAll: await player.stopAll()
        case .seek(let position, let fade): try await player.seekWithFade(to: position, fadeDuration: fade)
        case .skip(let seconds): try await player.skipForward(by: seconds)
        case .repeatMode(let mode): await player.setRepeatMode(mode)
        case .shuffle(let isOn, let seed): await player.setShuffle(isOn, seed: seed)
        case .sleep(let timer, let fade): try await player.setSleepTimer(timer, fadeDuration: fade)
        case .wake: await player.cancelSleepTimer()
        case .overlay(let url): try await player.startOverlay(url: url, configuration: .ambient)
        case .stopOverlay: await player.stopOverlay()
        case .pauseOverlay: await player.pauseOverlay()
        case .resumeOverlay: await player.resumeOverlay()
        }
    }

    // MARK: Chance

    static func random(using random: inout SeededGenerator) -> StormCommand {
        let index = Int.random(in: -1...5, using: &random)
        switch Int.random(in: 0..<46, using: &random) {
        case 0...3: return .load(urls(using: &random), configuration(using: &random), startingAt: nil)
        case 4: return .load(urls(using: &random), configuration(using: &random), startingAt: max(0, index))
        case 5: return .startPlaying(url(using: &random), configuration(using: &random))
        case 6...9: return .next
        case 10, 11: return .previous
        case 12, 13: return .jump(index)
        case 14: return .replace(url(using: &random), .random(in: 0...2, using: &random))
        case 15: return .swap(urls(using: &random), .random(in: 0...2, using: &random))
        case 16: return .add(urls(using: &random))
        case 17: return .insert(urls(using: &random), index)
        case 18: return .remove(index)
        case 19: return .move(index, Int.random(in: -1...5, using: &random))
        case 20...23: return .pause
        case 24...28: return .resume
        case 29: return .pauseAll
        case 30, 31: return .resumeAll
        case 32: return .stop([nil, 0, 0.2, 1].randomElement(using: &random) ?? nil)
        case 33: return .finish([nil, 0, 0.5].randomElement(using: &random) ?? nil)
        case 34: return Bool.random(using: &random) ? .reset : .stopAll
        case 35...37:
            return .seek(
                .random(in: -0.5...3.2, using: &random), fade: [0, 0.1, 0.3].randomElement(using: &random) ?? 0)
        case 38: return .skip(.random(in: -2...2, using: &random))
        case 39: return .repeatMode(RepeatMode.allCases.randomElement(using: &random) ?? .off)
        case 40: return .shuffle(.random(using: &random), random.next())
        case 41: return .sleep(.after(.random(in: 0...1.5, using: &random)), .random(in: 0...0.5, using: &random))
        case 42: return Bool.random(using: &random) ? .wake : .sleep(.endOfTrack, 0.1)
        case 43: return .overlay(url(using: &random))
        case 44: return .stopOverlay
        default: return Bool.random(using: &random) ? .pauseOverlay : .resumeOverlay
        }
    }

    private static func url(using random: inout SeededGenerator) -> URL {
        // One URL in fifteen does not exist.
        let missing = URL(fileURLWithPath: "/storm/missing.wav")
        if Int.random(in: 0..<15, using: &random) == 0 { return missing }
        return StormTrack.all.randomElement(using: &random)?.url ?? missing
    }

    private static func urls(using random: inout SeededGenerator) -> [URL] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in url(using: &random) }
    }

    private static func configuration(using random: inout SeededGenerator) -> PlayerConfiguration {
        PlayerConfiguration(
            crossfadeDuration: [0, 0, 1, 1, 2, 0.5].randomElement(using: &random) ?? 0,
            fadeCurve: [.linear, .equalPower, .sCurve].randomElement(using: &random) ?? .linear,
            repeatMode: RepeatMode.allCases.randomElement(using: &random) ?? .off,
            repeatCount: [nil, 0, 1].randomElement(using: &random) ?? nil,
            stopFadeDuration: [0, 0.3, 1].randomElement(using: &random) ?? 0,
            fadeInAtStart: Int.random(in: 0..<5, using: &random) == 0,
            transitionInterruption: Bool.random(using: &random) ? .fastForward : .reject)
    }
}
