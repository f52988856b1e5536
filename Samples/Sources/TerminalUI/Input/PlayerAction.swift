public import PlayerApp

/// What a key of the player does, with the name that the settings use.
public enum PlayerAction: String, Sendable, CaseIterable {
    case pause, stop, next, previous, forward, back
    case forwardMinute = "forward-minute"
    case backMinute = "back-minute"
    case nextChapter = "next-chapter"
    case previousChapter = "previous-chapter"
    case louder, quieter, mute, slower, faster
    case normalSpeed = "normal-speed"
    case `repeat`, shuffle, crossfade, gain, equalizer, sleep, overlay, up, down, top, bottom, current, play, search
    case pageUp = "page-up"
    case pageDown = "page-down"
    case remove
    case moveUp = "move-up"
    case moveDown = "move-down"
    case undo, save, library, browse, add
    case playNext = "play-next"
    case playAll = "play-all"
    case addInput = "add-input"
    case addFolder = "add-folder"
    case lyrics, cover, spectrum, help, quit

    /// Returns the command.
    ///
    /// - Parameter page: How many lines of the list are seen.
    public func intent(page: Int = 1) -> PlayerIntent {
        switch self {
        case .pause: .togglePause
        case .stop: .stop
        case .next: .next
        case .previous: .previous
        case .forward: .seek(5)
        case .back: .seek(-5)
        case .forwardMinute: .seek(60)
        case .backMinute: .seek(-60)
        case .nextChapter: .nextChapter
        case .previousChapter: .previousChapter
        case .louder: .changeVolume(0.05)
        case .quieter: .changeVolume(-0.05)
        case .mute: .toggleMute
        case .slower: .changeRate(-0.1)
        case .faster: .changeRate(0.1)
        case .normalSpeed: .resetRate
        case .repeat: .changeRepeat
        case .shuffle: .toggleShuffle
        case .crossfade: .changeCrossfade
        case .gain: .changeLoudness
        case .equalizer: .changeEqualizer
        case .sleep: .changeSleep
        case .overlay: .toggleOverlay
        case .up: .moveSelection(-1)
        case .down: .moveSelection(1)
        case .top: .moveSelection(-.max)
        case .bottom: .moveSelection(.max)
        case .pageUp: .moveSelection(-page)
        case .pageDown: .moveSelection(page)
        case .current: .selectCurrent
        case .play: .playSelection
        case .search: .begin(.search)
        case .remove: .removeSelection
        case .moveUp: .moveEntry(-1)
        case .moveDown: .moveEntry(1)
        case .undo: .undo
        case .save: .begin(.save)
        case .library: .toggleLibrary
        case .browse: .browse(nil)
        case .add: .addSelection
        case .playNext: .insertSelection(plays: false)
        case .playAll: .insertSelection(plays: true)
        case .addInput: .begin(.input)
        case .addFolder: .begin(.folder)
        case .lyrics: .toggleLyrics
        case .cover: .toggleCover
        case .spectrum: .toggleSpectrum
        case .help: .toggleHelp
        case .quit: .quit
        }
    }
}
