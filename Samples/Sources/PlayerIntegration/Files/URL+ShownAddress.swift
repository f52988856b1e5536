internal import Descant
internal import Foundation

extension URL {
    /// The address as it may be shown: without a user name and password.
    var shownAddress: String { isFileURL ? absoluteString : AudioSource.url(self).name }
}
