/// Who decides how fast an output is given frames.
public enum OutputPacing: String, Sendable, Hashable, Codable {
    /// The output: it consumes fewer frames than it is offered while its buffer is full, as a sound device does.
    case output
    /// Whoever renders, by a clock: the output consumes everything at once and would be overrun otherwise.
    case clock
    /// Nobody: a file is written as fast as its sound can be made.
    case none
}
