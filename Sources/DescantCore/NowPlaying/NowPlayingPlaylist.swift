public import Foundation

/// A playlist that a remote control can activate.
public struct NowPlayingPlaylist: Sendable, Hashable, Identifiable {
    /// Tells a playlist from every other one, and stays when it is renamed. Any text.
    public struct ID: Sendable, Hashable, RawRepresentable {
        /// The identity as text.
        public let rawValue: String
        /// Creates an identity.
        ///
        /// - Parameter rawValue: Any text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The identity.
    public var id: ID
    /// The name that the user gave it.
    public var name: String
    /// Where its icon can be loaded.
    public var icon: URL?

    /// Creates a playlist.
    ///
    /// - Parameters:
    ///   - id: The identity.
    ///   - name: The name that the user gave it.
    ///   - icon: Where its icon can be loaded.
    public init(id: ID, name: String, icon: URL? = nil) {
        self.id = id
        self.name = name
        self.icon = icon
    }
}
