internal import DescantPlayback

/// Which files are sound or playlists, by the endings of their names in lower case.
public enum SoundFile {
    /// The endings of sound files, without those of plugins.
    public static let endings: Set<String> = TagReading.fileExtensions.union(["mka", "wave"])
    /// The endings of playlists. All formats but the last one are written, too.
    public static let playlistEndings = ["m3u", "m3u8", "pls", "xspf", "cue"]
}
