/// Why tags cannot be edited; the writer adds the file's name.
enum EditError: Error {
    /// The file is not built as its format says.
    case damaged(String)
    /// The format, or this form of it, cannot be written, or has no place for a field.
    case unsupported(String)
    /// A value is none that can be written.
    case invalid(String)
}
