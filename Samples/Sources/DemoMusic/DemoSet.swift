public import Foundation
internal import AudioMeasurement
internal import Dispatch
internal import Synchronization

/// The demo as files: two tracks and an ambience.
public struct DemoSet: Sendable {
    /// The tracks, in order.
    public let tracks: [URL]
    /// The ambience, made to loop.
    public let ambience: URL
    /// The English words that a voice speaks over the first track.
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
        let names = [
            (DemoPiece.lanternStreet, "1 \(DemoPiece.lanternStreet.rawValue).wav"),
            (.lowTide, "2 \(DemoPiece.lowTide.rawValue).wav"), (.rain, "\(DemoPiece.rain.rawValue).wav"),
        ]
        // The pieces are independent and are made at the same time, because the first sound waits for them.
        let written = Mutex<[Int: Result<URL, any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: names.count) { index in
            let (piece, name) = names[index]
            let result = Result {
                let url = folder.appendingPathComponent(name)
                try WaveFile.write(
                    piece.render(sampleRate: sampleRate).interleaved, sampleRate: sampleRate, channels: 2,
                    format: .integer(bits: 16), to: url)
                return url
            }
            written.withLock { $0[index] = result }
        }
        let files = try written.withLock(\.self).sorted { $0.key < $1.key }.map { try $0.value.get() }
        (tracks, ambience) = (Array(files.prefix(2)), files[2])
    }
}
