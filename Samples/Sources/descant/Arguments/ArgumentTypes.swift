public import ArgumentParser
public import Descant
internal import Foundation
internal import PlayerApp
internal import PlayerIntegration

extension FadeCurve: @retroactive ExpressibleByArgument {}
extension SampleEncoding: @retroactive ExpressibleByArgument {}
extension ReplayGainMode: @retroactive ExpressibleByArgument {}

/// "bass", "off", or "6,3,0,0,0,0,0,0,2,4": a preset of the equaliser, or the gains of its bands.
struct EqualizerChoice: ExpressibleByArgument {
    let settings: EqualizerSettings

    /// The words besides gains.
    static let words = ["off"] + EqualizerPreset.all.map(\.name)

    init?(argument: String) {
        if let preset = EqualizerPreset.named(argument) {
            settings = preset.settings
            return
        }
        guard argument != "off" else {
            settings = EqualizerSettings()
            return
        }
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        let limit = EqualizerSettings.maximumGain
        guard parts.count == EqualizerSettings.bandFrequencies.count,
            parts.allSatisfy({ $0.map { (-limit...limit).contains($0) } ?? false })
        else { return nil }
        settings = EqualizerSettings(isEnabled: true, bandGains: parts.compactMap { $0 })
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

/// "reverb" or "reverb:mix=0.4,size=0.9": an effect of a plugin and values of its parameters.
struct InsertChoice: ExpressibleByArgument {
    let name: String
    let values: [String: Double]

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty else { return nil }
        self.name = String(name)
        var values: [String: Double] = [:]
        for setting in parts.count > 1 ? parts[1].split(separator: ",", omittingEmptySubsequences: false) : [] {
            let pair = setting.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, !pair[0].isEmpty, let value = Double(pair[1]), value.isFinite else { return nil }
            values[String(pair[0])] = value
        }
        self.values = values
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

/// Refuses empty words, which a shell makes of a variable that is not set, and which would mean the current folder.
func refuseEmpty(_ words: [String]) throws {
    guard !words.contains("") else { throw ValidationError("a name is empty; write . for the current folder") }
}
