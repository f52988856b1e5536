import DescantPlayback

/// A cell of the transition table: the result of a call, as text and as sound.
enum TransitionOutcome: Sendable, Hashable {
    /// A track of the stage.
    enum Track: String, Sendable {
        case first, second, third, new

        var level: Float {
            switch self {
            case .first: TransitionStage.first
            case .second: TransitionStage.second
            case .third: TransitionStage.third
            case .new: TransitionStage.new
            }
        }
    }

    /// Throws the error of an illegal state; nothing changes.
    case illegal
    /// Throws `crossfadeInProgress`; nothing changes.
    case busy
    /// Throws `noActiveTrack`; nothing changes.
    case noTrack
    /// Throws the file's error; nothing changes.
    case badFile
    /// Neither the sound nor the state changes.
    case nothing
    /// Stays silent, in another state.
    case silent(PlayerState)
    case freezes
    case goesOn
    case fadesOut
    case endsAtOnce(PlayerState)
    case begins(Track)
    case cuts(Track)
    case crossfades(Track)
    /// A crossfade replaces the running one.
    case crossfadesAnew(Track)
    /// The running crossfade is shortened, then another one follows.
    case hurries(Track)
    case switchesSilently(Track)
    case seeks
    case seeksSilently
    /// Everything goes on at half the volume.
    case halves

    var words: String {
        switch self {
        case .illegal: "`invalidState`"
        case .busy: "`crossfadeInProgress`"
        case .noTrack: "`noActiveTrack`"
        case .badFile: "the file's error"
        case .nothing: "–"
        case .silent(let state): "\(state.name)"
        case .freezes: "freezes"
        case .goesOn: "goes on"
        case .fadesOut: "fades out"
        case .endsAtOnce(let state): "10 ms ramp, \(state.name)"
        case .begins(let track): "\(track.rawValue) begins"
        case .cuts(let track): "cut to \(track.rawValue)"
        case .crossfades(let track): "crossfade to \(track.rawValue)"
        case .crossfadesAnew(let track): "new crossfade to \(track.rawValue)"
        case .hurries(let track): "0.3 s, then crossfade to \(track.rawValue)"
        case .switchesSilently(let track): "silent switch to \(track.rawValue)"
        case .seeks: "fade, seek, fade"
        case .seeksSilently: "silent seek"
        case .halves: "half the volume"
        }
    }
}
