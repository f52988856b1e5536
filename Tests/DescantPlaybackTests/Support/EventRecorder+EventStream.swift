import DescantCore
import DescantTestSupport

extension EventRecorder {
    /// Records the elements of a stream from now on, also those of a stream that keeps only the newest.
    convenience init(_ stream: EventStream<Event>) { self.init(reading: stream.buffered(.bounded(100_000))) }
}
