/// The fixed names of MPRIS 2.
enum MPRISName {
    static let path = "/org/mpris/MediaPlayer2"
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let trackList = "org.mpris.MediaPlayer2.TrackList"
    static let playlists = "org.mpris.MediaPlayer2.Playlists"
    static let properties = "org.freedesktop.DBus.Properties"
    /// Stands for no track at all.
    static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    /// Stands for whichever player was used last, by asking that one: no player by itself, and at times ourselves.
    static let standIn = "org.mpris.MediaPlayer2.playerctld"

    /// A program's name on the bus. Parts of a bus name are made of letters, digits and underscores here and do not begin
    /// with a digit.
    static func bus(_ name: String) -> String {
        let clean = name.unicodeScalars.map {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) ? Character($0) : "_"
        }
        let text = String(clean.prefix(100))
        let needsPrefix = text.isEmpty || text.first?.isNumber == true
        return "\(root).\(needsPrefix ? "_" : "")\(text)"
    }
}
