internal import ArgumentParser
internal import Descant

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
