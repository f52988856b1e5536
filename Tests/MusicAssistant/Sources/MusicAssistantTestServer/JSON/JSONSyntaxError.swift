/// Text that is not JSON.
struct JSONSyntaxError: Error, Equatable {
    /// The first wrong byte, counted from 0.
    let position: Int
}
