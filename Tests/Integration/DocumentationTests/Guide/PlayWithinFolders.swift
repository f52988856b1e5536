import Descant
import Foundation

/// A service that opens only files of a folder.
func serviceWithin(_ folder: URL, output: OutputDestination) -> DefaultPlaybackService {
    DefaultPlaybackService(
        audio: GStreamerOutput(destination: output), decoder: GStreamerDecoder(), clock: MonotonicClock(),
        logger: NoopLogger(), fileAccess: LocalFileAccess(roots: [folder]))
}
