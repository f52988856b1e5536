/// Ends the work when nobody iterates any more.
final class TagReadingSession: Sendable {
    let work: TagReadingWork

    init(_ work: TagReadingWork) { self.work = work }

    deinit { work.cancel() }
}
