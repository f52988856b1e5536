import Descant
import Foundation

// snippet
/// Removes what a form left empty, and one picture, and keeps everything else.
func edit(_ file: URL, title: String, comment: String?, without picture: TagPicture?) throws {
    let tags = try AudioEnvironment.shared.makeTagReaderService().readMetadata(for: file).tags
    var edited = tags
    edited.title = title
    edited.comment = comment
    var change = TagChange(from: tags, to: edited)
    if let picture { change.pictures = [.remove(picture)] }
    try AudioEnvironment.shared.makeTagWriter().write(url: file, change: change)
}
