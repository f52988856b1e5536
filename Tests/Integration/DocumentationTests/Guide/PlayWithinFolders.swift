import Descant
import Foundation

/// A service that opens only files of a folder.
func serviceWithin(_ folder: URL, output: OutputDestination) -> DefaultPlaybackService {
    AudioEnvironment.shared.makePlaybackService(output: output, fileAccess: LocalFileAccess(roots: [folder]))
}
