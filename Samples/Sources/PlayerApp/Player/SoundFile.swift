internal import DescantPlayback
public import Foundation

/// Which files are sound or playlists, by the endings of their names in lower case.
public enum SoundFile {
    /// The endings of sound files, without those of plugins.
    public static let endings: Set<String> = TagReading.fileExtensions.union(["mka", "wave"])
    /// The endings of what lies beside sound files in their folders: pictures, texts, logs and sums.
    private static let companionEndings: Set<String> = [
        "accurip", "bmp", "csv", "db", "doc", "docx", "ffp", "gif", "htm", "html", "ini", "jpeg", "jpg", "json", "log",
        "lrc", "md", "md5",
        "nfo", "opf", "par2", "pdf", "png", "rtf", "sfv", "sha1", "sha256", "srt", "svg", "text", "tif", "tiff",
        "torrent", "txt",
        "url", "webp", "xml", "zip",
    ]

    /// Whether a file lies beside sound files rather than being one.
    ///
    /// - Parameter url: The file.
    public static func isCompanion(_ url: URL) -> Bool {
        url.isFileURL && companionEndings.contains(url.pathExtension.lowercased())
    }

    /// The endings of playlists. All formats but the last one are written, too.
    public static let playlistEndings = ["m3u", "m3u8", "pls", "xspf", "cue"]
}
