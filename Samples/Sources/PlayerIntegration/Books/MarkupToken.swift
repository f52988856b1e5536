/// What stands next in a document of XML or HTML. Names are in small letters and without prefixes.
enum MarkupToken: Equatable {
    /// An element begins; one that ends itself is followed by its end.
    case start(String, [String: String])
    /// An element ends.
    case end(String)
    /// Characters, with what entities stand for.
    case text(String)
}
