public import DescantPlayback

/// Makes the library's services for the application, which sees neither ports nor adapters. The integration layer implements it.
public protocol CoreFactory: Sendable {
    /// Makes a service that plays one file.
    ///
    /// - Parameter isProUser: Whether it plays the formats of ``ProFormat``; otherwise it refuses them with
    ///   ``ProFormat/refusal``.
    func makePlaybackService(isProUser: Bool) -> any ObservablePlaybackService

    /// Makes the service that reads the tags of files.
    func makeTagReaderService() -> any TagReaderService & Sendable
}

/// A format that only Pro plays. The application decides which; the library knows no products.
public enum ProFormat: String, Sendable, CaseIterable {
    /// FLAC, also in Ogg.
    case flac = "FLAC"
    /// DSD, in DSF and DSDIFF files.
    case dsd = "DSD"

    /// Why a file of this format is not played, for a person.
    public var refusal: String { "\(rawValue) is played with Pro only; install a licence of Pro to play it" }
}
