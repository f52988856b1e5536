public import Descant
internal import Foundation
public import PlayerApp

extension PlaylistEntry {
    /// Creates an entry from the engine's description of a track.
    init(url: URL, track: TrackInfo) {
        self.init(
            url: url, title: track.title, artist: track.artist, duration: track.duration > 0 ? track.duration : nil)
        album = track.tags.album
        format = Self.describe(track.format)
    }

    /// Returns the engine's description with names from before: those that a CUE sheet has given to a part of a file, those that a
    /// playlist has given to a file without tags, and the name of a station, which says what it plays.
    func keepingNames(of before: PlaylistEntry) -> PlaylistEntry {
        var entry = self
        guard before.part == nil else {
            (entry.title, entry.artist, entry.album) = (before.title, before.artist ?? artist, before.album ?? album)
            return entry
        }
        if duration == nil, !url.isFileURL {
            (entry.title, entry.artist, entry.album) = (before.title, before.artist, before.album)
            return entry
        }
        if title == PlaylistEntry(url: url).title { entry.title = before.title }
        (entry.artist, entry.album) = (artist ?? before.artist, album ?? before.album)
        return entry
    }

    private static func describe(_ format: AudioFormat) -> String {
        let rate = (format.sampleRate / 100).rounded() / 10
        let channels =
            switch format.channelCount {
            case 1: "mono"
            case 2: "stereo"
            default: "\(format.channelCount) channels"
            }
        let depth = format.bitDepth.map { "\($0) bit" }
        let number = rate == rate.rounded() ? "\(Int(rate))" : "\(rate)"
        return [format.codec.isEmpty ? nil : format.codec, "\(number) kHz", depth, channels].compactMap { $0 }
            .joined(separator: ", ")
    }
}

extension TrackInfo {
    /// What a station plays now: the name of its line in the playlist is its own. `nil` for another track, and while it is unknown.
    func song(at url: URL) -> String? {
        guard duration == 0, !url.isFileURL, title != PlaylistEntry(url: url).title else { return nil }
        return [artist, title].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " – ")
    }
}

extension RepeatMode {
    /// The app's setting in the library's terms.
    init(_ setting: RepeatSetting) {
        self =
            switch setting {
            case .off: .off
            case .track: .singleTrack
            case .playlist: .playlist
            }
    }
}

extension RepeatSetting {
    /// The library's mode in the app's terms.
    init(_ mode: RepeatMode) {
        self =
            switch mode {
            case .off: .off
            case .singleTrack: .track
            case .playlist: .playlist
            }
    }

    /// A remote control's mode in the app's terms.
    init(_ mode: NowPlaying.Repeat) {
        self =
            switch mode {
            case .off: .off
            case .track: .track
            case .playlist: .playlist
            }
    }
}

extension LoudnessSetting {
    /// The library's mode in the app's terms.
    init(_ mode: ReplayGainMode) {
        self =
            switch mode {
            case .off: .off
            case .track: .track
            case .album: .album
            }
    }
}

extension ReplayGainMode {
    /// The app's setting in the library's terms.
    public init(_ setting: LoudnessSetting) {
        self =
            switch setting {
            case .off: .off
            case .track: .track
            case .album: .album
            }
    }
}

extension AudioPlayerError {
    /// What is wrong, without the name of the file, which the line of the playlist shows.
    var reason: String {
        switch self {
        case .fileNotFound: "there is no such file"
        case .invalidAudioFile(_, let reason): reason
        default: description
        }
    }
}

extension PlayerActivity {
    /// The service's state in the views' words.
    init(_ state: PlayerState) {
        self =
            switch state {
            case .idle: .idle
            case .preparing: .preparing
            case .playing: .playing
            case .paused: .paused
            case .fadingOut: .stopping
            case .finished: .finished
            case .failed: .failed
            }
    }
}

extension PlayerActivity {
    /// The controller's activity in the views' words.
    init(_ activity: MediaPlaybackState.Activity) {
        self =
            switch activity {
            case .idle: .idle
            case .preparing, .buffering: .preparing
            case .playing: .playing
            case .paused: .paused
            case .finished: .finished
            case .failed: .failed
            }
    }
}

extension PlaylistEntry {
    /// Returns the entry with the values of its file's tags; others are unchanged. A part of a file keeps what its CUE sheet says.
    func described(by track: Track) -> PlaylistEntry {
        var entry = self
        if let part {
            entry.duration = duration ?? track.duration.map { max(0, $0 - part.start) }
            return entry
        }
        if let title = track.tags.title, !title.isEmpty { entry.title = title }
        entry.artist = track.artist ?? entry.artist
        entry.album = track.album ?? entry.album
        entry.duration = track.duration ?? entry.duration
        return entry
    }
}
