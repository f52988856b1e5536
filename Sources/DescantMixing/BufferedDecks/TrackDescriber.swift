package import DescantCore

/// Finds out what a track is called, for decoders that only decode.
package protocol TrackDescriber: Sendable {
    /// Title, tags and codec of a source.
    ///
    /// - Throws: `CoreError` when nothing can be found out.
    func describe(_ source: AudioSource) async throws -> TrackInfo
}
