internal import DescantCore

/// The fixed names of MPRIS 2.
enum MPRISName {
    static let path = "/org/mpris/MediaPlayer2"
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let trackList = "org.mpris.MediaPlayer2.TrackList"
    static let playlists = "org.mpris.MediaPlayer2.Playlists"
    static let properties = "org.freedesktop.DBus.Properties"
    /// The path for no track.
    static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    /// A proxy for the player that was used last. It is not a player itself, and may forward to this one.
    static let standIn = "org.mpris.MediaPlayer2.playerctld"

    /// The name of a program on the bus: letters, digits and underscores, and no digit at the beginning.
    static func bus(_ name: String) -> String {
        let clean = name.unicodeScalars.map {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) ? Character($0) : "_"
        }
        let text = String(clean.prefix(100))
        let needsPrefix = text.isEmpty || text.first?.isNumber == true
        return "\(root).\(needsPrefix ? "_" : "")\(text)"
    }
}

/// Object paths for identities, which may be any text: letters and digits stay, every other byte becomes `_` and two hexadecimal digits.
enum MPRISPath {
    private static let trackPrefix = "/org/descant/Track/"
    private static let playlistPrefix = "/org/descant/Playlist/"

    static func track(_ id: NowPlayingTrack.ID) -> String { trackPrefix + escape(id.rawValue) }

    static func playlist(_ id: NowPlayingPlaylist.ID) -> String { playlistPrefix + escape(id.rawValue) }

    /// The track of a path; `nil` for a path of another program.
    static func track(_ path: String) -> NowPlayingTrack.ID? {
        unescape(path, after: trackPrefix).map(NowPlayingTrack.ID.init)
    }

    /// The playlist of a path; `nil` for a path of another program.
    static func playlist(_ path: String) -> NowPlayingPlaylist.ID? {
        unescape(path, after: playlistPrefix).map(NowPlayingPlaylist.ID.init)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func escape(_ text: String) -> String {
        // A part of a path is never empty. No other text becomes a single underscore.
        guard !text.isEmpty else { return "_" }
        var result = ""
        for byte in text.utf8 {
            if isPlain(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                result += "_" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }

    private static func unescape(_ path: String, after prefix: String) -> String? {
        guard path.hasPrefix(prefix) else { return nil }
        let text = Array(path.dropFirst(prefix.count).utf8)
        guard text != [UInt8(ascii: "_")] else { return "" }
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "_") {
                guard index + 2 < text.count,
                    let byte = UInt8(String(decoding: text[index + 1...index + 2], as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(byte)
                index += 3
            } else {
                guard isPlain(text[index]) else { return nil }
                bytes.append(text[index])
                index += 1
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
