public import Foundation
internal import Observation

/// Books in a window: what is opened goes to the music or to the reader, and only one of the two is heard.
extension PlayerWindowModel {
    /// The pages of a window.
    public enum Page: String, Sendable, CaseIterable {
        /// The list of tracks.
        case playlist
        /// The media library.
        case library
        /// The words of the present track.
        case lyrics
        /// Crossfades, overlay and equaliser.
        case sound
        /// The book that is read aloud.
        case reader
    }

    /// What was heard last, which media keys act on.
    enum Heard: Sendable { case music, book }

    /// Shows a page.
    ///
    /// - Parameter page: The page.
    public func show(_ page: Page) {
        guard page != self.page else { return }
        self.page = page
        if page == .library { openLibrary() }
    }

    /// Whether the window has a page.
    func isAvailable(_ page: Page) -> Bool {
        switch page {
        case .playlist, .lyrics, .sound: true
        case .library: hasLibrary
        case .reader: reader != nil
        }
    }

    /// Opens what a person has chosen: books in the reader, everything else as music.
    ///
    /// - Parameters:
    ///   - urls: Files, folders, playlists and addresses.
    ///   - dismisses: Whether the person has seen the message that is shown: not at the start of the program.
    public func open(_ urls: [URL], dismisses: Bool = true) {
        let music = openBooks(among: urls)
        guard !music.isEmpty else { return }
        // A book is to be heard; tracks that come with it wait.
        let intent = PlayerIntent.insert(music, at: nil, plays: music.count == urls.count)
        if dismisses { send(intent) } else { intents.send(intent) }
    }

    /// The address that a person has typed; `nil` for other texts.
    ///
    /// - Parameter text: A URL with the scheme http, https or file.
    public static func address(_ text: String) -> URL? {
        guard let url = URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines)) else { return nil }
        switch url.scheme?.lowercased() {
        case "http", "https": return url.host()?.isEmpty == false ? url : nil
        case "file": return url.path.hasPrefix("/") ? url : nil
        default: return nil
        }
    }

    /// Opens files that a person has chosen as a book, whatever their names end in.
    ///
    /// - Parameter urls: Files; several make one book.
    public func openBook(_ urls: [URL]) {
        guard let reader else { return open(urls) }
        reader.open(urls)
        show(.reader)
    }

    /// Opens the books among some files in the reader and shows it.
    ///
    /// - Parameter urls: What was opened or dropped.
    /// - Returns: What is not a book, without what lies beside one, such as its cover.
    func openBooks(among urls: [URL]) -> [URL] {
        guard reader != nil else { return urls }
        let books = BookFile.books(among: urls)
        guard !books.isEmpty else { return urls }
        openBook(books)
        return urls.filter { !books.contains($0) && !SoundFile.isCompanion($0) }
    }

    /// Whether music is heard, or will be in a moment.
    private var isMusicHeard: Bool { showsPause }

    /// Whether music or a book is heard, or will be in a moment. The machine is not to suspend meanwhile.
    public var isHeard: Bool { isMusicHeard || reader?.isReading == true }

    /// Lets the reader have the window's volume, and pauses the book when music begins and music when the book begins.
    func followSound() {
        guard let reader else { return }
        let (music, book, volume) = withObservationTracking {
            (isMusicHeard, reader.isReading, shownVolume)
        } onChange: { [weak self] in
            // Called before the change.
            Task { @MainActor [weak self] in self?.followSound() }
        }
        reader.setVolume(volume)
        let before = sounding
        sounding = (music, book)
        if book, !before.book {
            heard = .book
            // No command of the person: messages stay.
            if music { intents.send(.pause) }
        } else if music, !before.music {
            heard = .music
            if book { reader.pauseForMusic() }
        }
    }

    // MARK: Keys

    /// Carries out the command of a key on the reader's page, and of a media key when the book was heard last.
    ///
    /// - Parameters:
    ///   - name: The name of the key.
    ///   - focus: What has the keyboard.
    /// - Returns: Whether the key is used; `nil` for a key that has the same effect on all pages.
    func pressInReader(_ name: String, _ focus: WindowKey.Focus) -> Bool? {
        guard let reader, reader.book != nil else { return nil }
        switch name {
        case "AudioPlay", "AudioPause", "AudioStop", "AudioNext", "AudioPrev":
            guard heard == .book else { return nil }
        default: guard page == .reader else { return nil }
        }
        switch name {
        case "space" where focus == .button, "Left" where focus == .slider, "Right" where focus == .slider:
            return false
        case "space", "AudioPlay", "AudioPause": reader.togglePause()
        case "AudioStop": reader.pause()
        case "Right", "AudioNext": reader.move(by: .sentence, forward: true)
        case "Left", "AudioPrev": reader.move(by: .sentence, forward: false)
        case "n", "N": reader.move(by: .paragraph, forward: true)
        case "p", "P": reader.move(by: .paragraph, forward: false)
        case "greater": reader.move(by: .chapter, forward: true)
        case "less": reader.move(by: .chapter, forward: false)
        case "bracketright": reader.setRate(reader.rate + 0.1)
        case "bracketleft": reader.setRate(reader.rate - 0.1)
        default: return nil
        }
        return true
    }
}
