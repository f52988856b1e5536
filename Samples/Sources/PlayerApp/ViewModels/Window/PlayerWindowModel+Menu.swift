public import Foundation

/// The menu of a line of the playlist.
extension PlayerWindowModel {
    /// A command of the menu.
    public enum LineCommand: String, Sendable, CaseIterable {
        /// Plays the track of the line.
        case play
        /// Moves the selected tracks behind the present one.
        case playNext = "play-next"
        /// Removes the selected tracks.
        case remove
        /// Shows the file of the line in the desktop's file manager.
        case showFile = "show-file"
        /// Copies the address of the line's track.
        case copyAddress = "copy-address"

        /// What the menu says.
        public var title: String {
            switch self {
            case .play: "Play"
            case .playNext: "Play Next"
            case .remove: "Remove"
            case .showFile: "Show in the File Manager"
            case .copyAddress: "Copy Address"
            }
        }
    }

    /// The track that a menu was opened for. The playlist may change while the menu is open.
    public struct MenuTrack: Sendable {
        /// The address without its password.
        public let address: String
        /// The address of the file, also for a track that is a part of it; `nil` for a track that lies on another computer.
        public let file: URL?
        /// The place in the playlist of the keys.
        let place: Int
        let keys: RowKeys
    }

    /// Selects what the commands of a line's menu act on: all selected lines when the line is one of them, or else the line alone.
    ///
    /// - Parameter line: The line, from 0.
    /// - Returns: The track of the line; `nil` when there is no such line.
    public func openMenu(at line: Int) -> MenuTrack? {
        followSelection()
        guard let place = place(of: line) else { return nil }
        if !selection.contains(line) { select([line]) }
        let url = state.entries[place].url
        // A path alone would lose the host of file://host/path.
        let isHere = url.isFileURL && (url.host() ?? "").isEmpty
        return MenuTrack(
            address: PlaylistLocation.address(of: url),
            file: isHere ? URL(filePath: url.path, directoryHint: .notDirectory) : nil, place: place, keys: rowKeys)
    }

    /// Whether a command can be carried out.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - track: The track that the menu is opened for.
    public func isEnabled(_ command: LineCommand, for track: MenuTrack) -> Bool {
        switch command {
        case .play, .remove, .copyAddress: true
        // An order that was drawn by chance does not follow the places in the list.
        case .playNext: !state.modes.isShuffled && !placesToPlayNext.isEmpty
        case .showFile: track.file != nil
        }
    }

    /// Plays the track that a menu was opened for. A track that is gone is not played.
    ///
    /// - Parameter track: The track.
    public func play(_ track: MenuTrack) {
        if let place = places([track.place], after: change(since: track.keys)).first { send(.play(place)) }
    }

    /// Moves the selected tracks behind the present one, so that they are played next. Without a present track nothing happens.
    public func playSelectionNext() {
        let places = placesToPlayNext
        guard let current = state.currentIndex, !places.isEmpty else { return }
        let keys = selectedKeys
        // The lines of a filter do not tell where the tracks will lie until they are moved.
        isSelectionAhead = filterText.isEmpty
        let start = current + 1 - places.count { $0 <= current }
        selection = isSelectionAhead ? Set(start..<start + places.count) : []
        send(.move(places, to: current + 1, of: keys))
    }

    /// The places of the selected tracks other than the present one; none without a present track.
    private var placesToPlayNext: [Int] {
        guard let current = state.currentIndex else { return [] }
        return selectedPlaces.filter { $0 != current }
    }

    /// Shows a message about something that the window could not do.
    ///
    /// - Parameter problem: One line.
    public func report(_ problem: String) { state.notices.add(Notice(.warning, problem)) }
}
