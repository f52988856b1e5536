/// The media library of the server.
public struct Library: Sendable, Hashable {
    /// All items.
    public var items: [SimulatedItem]

    /// Creates a library.
    ///
    /// - Parameter items: Every item.
    public init(items: [SimulatedItem]) { self.items = items }

    /// Three artists, four albums, ten tracks, a playlist of 1,100 entries and a station.
    public static let small = Library(
        items: [
            SimulatedItem(.artist, "1", "Dune Trio"), SimulatedItem(.artist, "2", "The Lanterns"),
            SimulatedItem(.artist, "3", "Óskar & Ýr"),
            SimulatedItem(.album, "1", "Salt", artist: "1"), SimulatedItem(.album, "2", "Harbour Lights", artist: "2"),
            SimulatedItem(.album, "3", "Night Ferry", artist: "2"), SimulatedItem(.album, "4", "雪の音", artist: "3"),
            SimulatedItem(.track, "1", "Low Tide", artist: "1", album: "1", duration: 182),
            SimulatedItem(.track, "2", "Brackish", artist: "1", album: "1", duration: 95),
            SimulatedItem(.track, "3", "Pier", artist: "2", album: "2", duration: 240),
            SimulatedItem(.track, "4", "Signal Lamp", artist: "2", album: "2", duration: 201),
            SimulatedItem(.track, "5", "Foghorn Signal", artist: "2", album: "2", duration: 33),
            SimulatedItem(.track, "6", "Crossing", artist: "2", album: "3", duration: 310),
            SimulatedItem(.track, "7", "Wake", artist: "2", album: "3", duration: 154),
            SimulatedItem(.track, "8", "粉雪", artist: "3", album: "4", duration: 221),
            SimulatedItem(.track, "9", "Ís", artist: "3", album: "4", duration: 60),
            SimulatedItem(.track, "10", "A \"Quoted\" / Slashed \\ Title", artist: "3", album: "4", duration: 1),
            SimulatedItem(
                .playlist, "1", "Endless", tracks: (0..<1100).map { String($0 % 10 + 1) }),
            SimulatedItem(.playlist, "2", "Short", tracks: ["3", "1"]), SimulatedItem(.radio, "1", "Harbour Radio"),
        ])

    /// Finds an item.
    func item(_ kind: LibraryKind, _ id: String) -> SimulatedItem? { items.first { $0.kind == kind && $0.id == id } }

    /// Finds an item by its address.
    ///
    /// - Throws: The server's errors for invalid addresses, unknown providers and missing items.
    func item(uri: String) throws -> SimulatedItem {
        let parts = uri.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, parts[0].hasSuffix(":"), parts[1].isEmpty else {
            throw ServerError(14, "Not a valid Music Assistant uri: \(uri)")
        }
        guard parts[0] == "library:" else {
            throw ServerError(1, "\(parts[0].dropLast()) is not available")
        }
        guard let kind = LibraryKind(rawValue: parts[2]), let item = item(kind, parts[3]) else {
            throw ServerError.mediaNotFound("\(parts[2]) not found in library: \(parts[3])")
        }
        return item
    }

    /// The tracks of an item.
    func tracks(of item: SimulatedItem) -> [SimulatedItem] {
        switch item.kind {
        case .track, .radio: [item]
        case .album: items.filter { $0.kind == .track && $0.album == item.id }
        case .artist: items.filter { $0.kind == .track && $0.artist == item.id }
        case .playlist: item.tracks.compactMap { self.item(.track, $0) }
        }
    }
}
