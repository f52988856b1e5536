public import Foundation

/// Something that changed in a reader.
public enum ReaderUpdate: Sendable, Equatable {
    /// What the reader does.
    case activity(PlayerActivity)
    /// What is heard, or to be heard next: the place in the book, and the word if one sounds.
    case place(Int, word: Range<Int>?)
    /// Seconds at the normal speed from the beginning; the duration is `nil` while unknown.
    case time(TimeInterval, duration: TimeInterval?, isEstimated: Bool)
    /// Who reads.
    case voice(engine: String, voice: String?)
    /// The speed; 1 is normal.
    case rate(Double)
    /// Something that a person should read.
    case notice(Notice)
    /// Nothing follows any more.
    case finished
}
