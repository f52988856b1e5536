/// How far a person moves in a book.
public enum ReaderStep: Sendable, Hashable {
    /// From sentence to sentence.
    case sentence
    /// From paragraph to paragraph.
    case paragraph
    /// From chapter to chapter.
    case chapter
}
