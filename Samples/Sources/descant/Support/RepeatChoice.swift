internal import ArgumentParser
internal import Descant

/// The words for what happens at the natural end.
enum RepeatChoice: String, ExpressibleByArgument, CaseIterable {
    case off
    case track
    case playlist

    var mode: RepeatMode {
        switch self {
        case .off: .off
        case .track: .singleTrack
        case .playlist: .playlist
        }
    }
}
