public import Foundation
internal import AudioMeasurement

/// The demo as files: two tracks and an ambience.
public struct DemoSet: Sendable {
    /// The tracks, in order.
    public let tracks: [URL]
    /// The ambience, made to loop.
    public let ambience: URL
    /// What a voice says over the first track, in English.
    public static let announcement = """
        This is \(DemoPiece.lanternStreet.rawValue), above \(DemoPiece.rain.rawValue.lowercased()). \
        \(DemoPiece.lowTide.rawValue) comes next.
        """

    /// Plays the demo's music into WAVE files.
    ///
    /// - Parameters:
    ///   - folder: An existing folder.
    ///   - sampleRate: Frames per second, in Hz.
    /// - Throws: An error naming the file that could not be written.
    public init(writingTo folder: URL, sampleRate: Int = 44100) throws {
        func write(_ piece: DemoPiece, named name: String) throws -> URL {
            let url = folder.appendingPathComponent(name)
            try WaveFile.write(
                piece.render(sampleRate: sampleRate).interleaved, sampleRate: sampleRate, channels: 2,
                format: .integer(bits: 16), to: url)
            return url
        }
        tracks = [
            try write(.lanternStreet, named: "1 \(DemoPiece.lanternStreet.rawValue).wav"),
            try write(.lowTide, named: "2 \(DemoPiece.lowTide.rawValue).wav"),
        ]
        ambience = try write(.rain, named: "\(DemoPiece.rain.rawValue).wav")
    }
}
