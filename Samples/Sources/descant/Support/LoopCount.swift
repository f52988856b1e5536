internal import ArgumentParser

/// "3" or "infinite".
struct LoopCount: ExpressibleByArgument {
    /// `nil` for infinite.
    let passes: Int?

    init?(argument: String) {
        if argument == "infinite" {
            passes = nil
        } else if let count = Int(argument), count >= 1 {
            passes = count
        } else {
            return nil
        }
    }
}
