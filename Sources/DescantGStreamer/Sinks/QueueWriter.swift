internal import CGStreamer
internal import DescantCore

/// Writes the blocks of a pipeline into a device's queue, and replaces those in the queue that were not heard.
///
/// GStreamer's sinks cannot replace what they have written. A writer takes the blocks in front of a sink that discards them.
protocol QueueWriter: Sendable {
    /// Opens the device; events report the outcome. May block.
    func start()

    /// Ends the wait of ``write(_:)``, so that the pipeline can be stopped.
    func stop()

    /// Releases the device, once the pipeline has stopped.
    func close()

    /// The output frame that is heard now; `nil` before the first one.
    var heardFrame: Int64? { get }

    /// The first output frame that can still be replaced; `nil` before the device plays.
    var firstChangeableFrame: Int64? { get }

    /// The frames behind the heard one that the device has taken for good, at most: Bluetooth and devices of other machines hold much. A queue
    /// that is no longer than this is empty for the device.
    var heldFrames: Int64 { get }

    /// Continues at an earlier frame: its blocks follow behind those that are still in the graph.
    ///
    /// - Parameters:
    ///   - frame: The output frame.
    ///   - graphFrame: The graph frame of its first block.
    func rewind(to frame: Int64, graphFrame: Int64)

    /// Writes the next block of the pipeline, unless it was replaced; on the pipeline's streaming thread, which it may hold.
    func write(_ buffer: UnsafeMutablePointer<GstBuffer>)

    /// Reports ``QueueEvent/drained`` when everything written was heard.
    func drain()

    /// The device of a sound server; `nil` without a server, and before the stream plays.
    var deviceName: String? { get }

    /// Has the stream stay on the device that a server plays it on, or go with the server's default from there.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - isChosen: Whether the stream stays there. ``QueueEvent/leftChosenDevice`` reports that it was taken away.
    /// - Returns: Whether it plays there.
    func bind(to device: String, isChosen: Bool) -> Bool

    /// Sets the role of the stream on a sound server. May block.
    func setRole(_ role: AudioRole)
}

extension QueueWriter {
    var deviceName: String? { nil }
    func bind(to device: String, isChosen: Bool) -> Bool { false }
    func setRole(_ role: AudioRole) {}
}

/// An event of a ``QueueWriter``; reported on any thread.
enum QueueEvent: Sendable {
    /// The device takes sound.
    case opened
    /// The device plays.
    case started
    /// The server plays on this device now.
    case device(String)
    /// The server has taken the stream to its new default, away from the chosen device, which is still there.
    case leftChosenDevice
    /// Everything written was heard.
    case drained
    /// The device or its server is gone, or was not reached.
    case failed(String)
}

/// Numbers the frames of the blocks that a ``QueueWriter`` takes from its pipeline.
struct BlockCursor: Sendable {
    /// The output frame of the next frame of the pipeline.
    var nextFrame: Int64
    /// The pipeline's own number of that frame.
    private var graphFrame: Int64 = 0
    /// The frames to which the output returns with later graph frames.
    private var changes: [(graphFrame: Int64, frame: Int64)] = []

    /// - Parameter nextFrame: The output frame of the pipeline's first frame.
    init(nextFrame: Int64) { self.nextFrame = nextFrame }

    /// The first frame that is not the sound that was asked for: it is not written yet, or a change has made it void.
    var end: Int64 { min(nextFrame, changes.first?.frame ?? .max) }

    mutating func add(changeTo frame: Int64, graphFrame: Int64) { changes.append((graphFrame, frame)) }

    /// Continues at the frame of a change that begins here.
    ///
    /// - Returns: Whether there is one.
    mutating func applyChange() -> Bool {
        var isChanged = false
        while let change = changes.first, change.graphFrame <= graphFrame {
            nextFrame = change.frame
            changes.removeFirst()
            isChanged = true
        }
        return isChanged
    }

    /// The frames up to the next change.
    ///
    /// - Parameter frames: The frames that are left of a block.
    /// - Returns: Their number, and how many of them are written: what lies behind the frame of a change is replaced.
    func part(of frames: Int64) -> (length: Int64, written: Int64) {
        guard let next = changes.first else { return (frames, frames) }
        let length = min(frames, next.graphFrame - graphFrame)
        return (length, min(length, max(0, next.frame - nextFrame)))
    }

    /// Goes on behind frames of the pipeline.
    ///
    /// - Parameters:
    ///   - length: Their number.
    ///   - written: How many of them have a place in the output.
    mutating func pass(_ length: Int64, written: Int64) {
        graphFrame += length
        nextFrame += written
    }
}
