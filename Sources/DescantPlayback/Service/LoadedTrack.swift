internal import DescantCore
internal import Foundation

/// The file that is loaded.
struct LoadedTrack {
    let url: URL
    let handle: DecodeHandle
    let info: StreamInfo
    /// Frames rendered at a time.
    let blockFrames: Int

    init(url: URL, handle: DecodeHandle, info: StreamInfo) {
        self.url = url
        self.handle = handle
        self.info = info
        blockFrames = BufferLength.frames(sampleRate: info.sampleRate)
    }

    /// The frame nearest to a time.
    func frame(at seconds: Double) -> Int64 { Int64((seconds * info.sampleRate).rounded()) }

    func seconds(at frame: Int64) -> Double { Double(frame) / info.sampleRate }

    /// How many frames are decoded ahead: two seconds, and never less than what is rendered at once.
    var decodedAhead: Int64 { max(Int64(blockFrames) * 2, Int64(info.sampleRate * 2)) }
}
