internal import DescantCore
internal import Foundation
internal import Synchronization

/// What a recorder has written up to now.
final class RecordedBytes: Sendable {
    /// The number of frames, whenever it grows; finishes with the recorder.
    let progress = EventHub<Int>(initial: 0)
    private let bytes = Mutex(Data())

    /// Stereo frames of Float32.
    var frameCount: Int { bytes.withLock { $0.count / 8 } }

    /// The samples, without an incomplete last one.
    var samples: [Float] {
        let recorded = bytes.withLock { $0 }
        return [Float](unsafeUninitializedCapacity: recorded.count / 4) { memory, count in
            recorded.copyBytes(to: UnsafeMutableRawBufferPointer(memory), count: recorded.count / 4 * 4)
            count = recorded.count / 4
        }
    }

    func append(_ data: Data) {
        let frames = bytes.withLock { bytes in
            bytes.append(data)
            return bytes.count / 8
        }
        progress.post(frames)
    }
}
