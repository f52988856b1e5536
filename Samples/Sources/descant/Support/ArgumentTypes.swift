public import ArgumentParser
public import Descant
internal import Foundation
internal import PlayerIntegration

extension FadeCurve: @retroactive ExpressibleByArgument {}
extension SampleEncoding: @retroactive ExpressibleByArgument {}
extension ReplayGainMode: @retroactive ExpressibleByArgument {}

/// "6,3,0,0,0,0,0,0,2,4": the gains of an equaliser's bands.
struct BandGains: ExpressibleByArgument {
    let gains: [Double]

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        let limit = EqualizerSettings.maximumGain
        guard parts.count == EqualizerSettings.bandFrequencies.count,
            parts.allSatisfy({ $0.map { (-limit...limit).contains($0) } ?? false })
        else { return nil }
        gains = parts.compactMap { $0 }
    }
}

/// "FILE@SECONDS": a sound effect and when it is heard.
struct EffectTime: ExpressibleByArgument {
    let url: URL
    let at: Double

    init?(argument: String) {
        guard let sign = argument.lastIndex(of: "@"), sign != argument.startIndex,
            let at = Double(argument[argument.index(after: sign)...]), at >= 0, at.isFinite
        else { return nil }
        self.at = at
        url = InputExpander.url(for: String(argument[..<sign]))
    }
}

/// "3" or "infinite".
struct LoopCount: ExpressibleByArgument {
    /// `nil` for infinite.
    let passes: Int?

    init?(argument: String) {
        if argument == "infinite" {
            passes = nil
        } else if let count = Int(argument), count >= 1 {
            passes = count
        } else {
            return nil
        }
    }
}

/// The words for what happens at the natural end.
enum RepeatChoice: String, ExpressibleByArgument, CaseIterable {
    case off
    case track
    case playlist

    /// Reads a word; `single` and `singleTrack` are other names for `track`, `all` one for `playlist`.
    init?(argument: String) {
        switch argument {
        case "single", "singleTrack": self = .track
        case "all": self = .playlist
        default: self.init(rawValue: argument)
        }
    }

    var mode: RepeatMode {
        switch self {
        case .off: .off
        case .track: .singleTrack
        case .playlist: .playlist
        }
    }
}

/// "AT=VALUE", both in seconds and neither negative.
struct TimePair: ExpressibleByArgument {
    let at: Double
    let value: Double

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let at = parts[0], let value = parts[1], at >= 0, value >= 0, at.isFinite,
            value.isFinite
        else { return nil }
        self.at = at
        self.value = value
    }
}
