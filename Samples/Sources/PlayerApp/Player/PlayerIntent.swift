public import DescantCore
public import Foundation

/// A command of a person to the player.
///
/// The places that a change of the playlist names are those of the list whose keys it has; without keys, of the present list. A line of the
/// library stands for the item that the command has; without one, for what is there when the command is carried out.
public enum PlayerIntent: AppIntent {
    /// Pauses or resumes.
    case togglePause
    /// Stops.
    case stop
    /// Move within the track by seconds.
    case seek(TimeInterval)
    /// Move to a share of the track, 0…1.
    case seekToShare(Double)
    /// The next track.
    case next
    /// The previous track.
    case previous
    /// Change the volume by a difference, in 0…1.
    case changeVolume(Double)
    /// Mute the sound or end that.
    case toggleMute
    /// The next setting of what happens at the natural end.
    case changeRepeat
    /// Shuffle the order or end that.
    case toggleShuffle
    /// Change the speed by a difference.
    case changeRate(Double)
    /// Play at the normal speed.
    case resetRate
    /// Go to the next chapter of the track.
    case nextChapter
    /// Go to the beginning of the chapter, or within its first 3 s to the one before.
    case previousChapter
    /// The next overlap of tracks.
    case changeCrossfade
    /// The next setting of the loudness tags.
    case changeLoudness
    /// The next preset of the equaliser, or off.
    case changeEqualizer
    /// Set the sleep timer.
    case sleep(SleepSetting)
    /// The next setting of the sleep timer.
    case changeSleep
    /// Show the words of the track or hide them.
    case toggleLyrics
    /// Show the cover or hide it.
    case toggleCover
    /// Show the spectrum or the levels.
    case toggleSpectrum
    /// Show the library or the playlist.
    case toggleLibrary
    /// Show what is in a line of the library, or play the track that it is.
    case enterLibrary(Int, of: LibraryItem? = nil)
    /// Search the library for words, and play the first track that was found.
    case playFound(String)
    /// Add a line of the library to the playlist.
    case addFromLibrary(Int, of: LibraryItem? = nil)
    /// Insert a line of the library behind the present track, and play the first of it.
    case playFromLibrary(Int, of: LibraryItem? = nil)
    /// Add what is selected in the library to the playlist.
    case addSelection
    /// Insert what is selected in the library behind the present track, and play the first of it if it is to be heard.
    case insertSelection(plays: Bool)
    /// Show one of the library's outermost levels; without one, the next.
    case browse(LibraryState.Level?)
    /// Add a folder to the library, by a path as a person types it.
    case addFolder(String)
    /// Take a folder out of the library, by its path; its files stay.
    case removeFolder(String)
    /// Pause the overlay or let it go on.
    case toggleOverlay
    /// Move the selection in the playlist by lines.
    case moveSelection(Int)
    /// Show the playlist and select the present track.
    case selectCurrent
    /// Select a track, or play it when it is selected already.
    case choose(Int)
    /// Play the selected track.
    case playSelection
    /// Remove the selected track from the playlist.
    case removeSelection
    /// Move the selected track in the playlist by lines.
    case moveEntry(Int)
    /// Undo the last change of the playlist.
    case undo
    /// Begin to type.
    case begin(Prompt.Purpose)
    /// Type a character.
    case type(Character)
    /// Remove the last typed character.
    case erase
    /// Use what was typed.
    case accept
    /// Show the keys or hide them.
    case toggleHelp
    /// Close help or what is typed.
    case dismiss
    /// Leave.
    case quit

    /// Pause; nothing happens when nothing sounds.
    case pause
    /// Play the track at a place.
    case play(Int)
    /// Move to a position, in seconds.
    case seekTo(TimeInterval)
    /// Set the volume, 0…1.
    case setVolume(Double)
    /// Set the speed, 0.5…3.
    case setRate(Double)
    /// Decide which loudness tags are used.
    case setLoudness(LoudnessSetting)
    /// Show the entries that contain the words; all of them without words. The first of them may be played.
    case filter(String, playsFirst: Bool = false)
    /// Write the playlist to a file.
    case save(String, replaces: Bool = false)
    /// Add files, folders, playlists and addresses before a place, or at the end, and play the first of them if it is to be heard.
    case insert([URL], at: Int?, plays: Bool, of: RowKeys? = nil)
    /// Remove the tracks at some places.
    case remove([Int], of: RowKeys? = nil)
    /// Move the tracks at some places before the track at another one.
    case move([Int], to: Int, of: RowKeys? = nil)
    /// Set the overlap of tracks, in seconds: 0, or 1…30.
    case setCrossfade(TimeInterval)
    /// Set the curve of crossfades.
    case setCrossfadeCurve(FadeCurve)
    /// Play a sound over the tracks.
    case startOverlay(URL)
    /// Set the overlay's volume, 0…1.
    case setOverlayVolume(Double)
    /// Fade the overlay out.
    case stopOverlay
    /// Set the equaliser.
    case setEqualizer(EqualizerSettings)
}

/// The order in which commands are carried out.
extension PlayerIntent {
    /// The commands that this one waits for; `nil` for a command that begins at once.
    public var lane: IntentLane? {
        switch self {
        // What has lines of its own is shown, which has nothing to do with the playlist.
        case .enterLibrary(_, let item?) where !item.isTrack: nil
        case .insert, .remove, .move, .undo, .removeSelection, .moveEntry, .enterLibrary, .playFound, .playFromLibrary,
            .addFromLibrary:
            .playlist
        case .addSelection, .insertSelection, .addFolder, .removeFolder: .library
        case .seekTo: .seek
        case .seek, .seekToShare, .nextChapter, .previousChapter: .moves
        case .changeVolume, .toggleMute, .setVolume: .volume
        case .changeRate, .resetRate, .setRate: .rate
        case .changeRepeat: .repeats
        case .toggleShuffle: .shuffle
        case .changeCrossfade, .setCrossfade, .setCrossfadeCurve: .crossfade
        case .changeLoudness, .setLoudness: .loudness
        case .sleep, .changeSleep: .sleep
        case .toggleSpectrum: .spectrum
        case .toggleOverlay: .overlay
        case .setOverlayVolume: .overlayVolume
        case .changeEqualizer, .setEqualizer: .equalizer
        default: nil
        }
    }

    /// The lane whose later commands wait for this one, which itself begins at once.
    public var delayedLane: IntentLane? {
        switch self {
        case .next, .previous, .playSelection, .choose, .accept, .togglePause: .moves
        default: nil
        }
    }

    /// Whether the moves that wait are void, because they were meant for the track before.
    public var voidsWaiting: Bool {
        switch self {
        case .next, .previous, .playSelection, .choose: true
        default: false
        }
    }

    /// Whether the newest command of the lane stands for those of this kind that wait before it.
    public var replacesWaiting: Bool {
        switch self {
        case .seekTo, .setVolume, .setRate, .setOverlayVolume, .setEqualizer: true
        default: false
        }
    }

    /// What the command has to do with the list that is shown.
    public var listUse: ListUse {
        switch self {
        case .removeSelection, .moveEntry, .undo, .playSelection, .choose, .accept: .namesLine
        case .begin: .changesKeys
        // While help waits for changes of the list, keys mean what they do without it.
        case .toggleHelp, .moveSelection, .selectCurrent, .type, .erase, .dismiss, .addSelection,
            .insertSelection, .browse, .toggleLibrary, .toggleLyrics:
            .moves
        default: .none
        }
    }
}

/// A line that the person types.
public struct Prompt: Sendable, Equatable {
    /// What the line is for.
    public enum Purpose: Sendable, Equatable {
        /// Shows the entries that contain the words.
        case search
        /// The name of the file that the playlist is written to.
        case save
        /// A file, folder, playlist or address that is added to the playlist.
        case input
        /// The folder that is added to the library.
        case folder
        /// Whether a folder is removed from the library: one key answers.
        case removal(LibraryItem)
        /// Whether the playlist replaces a file, by its path: one key answers.
        case replacement(String)
    }

    /// What the line is for.
    public let purpose: Purpose
    /// What was typed.
    public internal(set) var text: String
    /// The line of the playlist that was selected before a search of it.
    var formerLine: Int?

    /// What is asked, when one key answers; `nil` for a line that is typed.
    public var question: String? {
        switch purpose {
        case .search, .save, .input, .folder: nil
        case .removal(let folder): folder.removalQuestion
        case .replacement(let path): "\(path) exists; replace it?"
        }
    }

    /// The words by which the playlist is filtered; `nil` for the whole playlist.
    var filter: String? { purpose == .search && !text.isEmpty ? text : nil }
}
