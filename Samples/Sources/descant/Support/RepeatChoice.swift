internal import ArgumentParser
internal import Descant

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
