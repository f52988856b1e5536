/// Why nothing was rendered.
public enum RenderFailure: Error, Sendable {
    /// The request cannot be carried out as it is; nothing was touched.
    case usage(String)
    /// None of the inputs can be opened; nothing was written.
    case noInput(RenderReport)
    /// Rendering began and could not be completed.
    case incomplete(String)
}
