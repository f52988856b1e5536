internal import ArgumentParser

/// "AT=VALUE", both in seconds and neither negative.
struct TimePair: ExpressibleByArgument {
    let at: Double
    let value: Double

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let at = parts[0], let value = parts[1], at >= 0, value >= 0, at.isFinite,
            value.isFinite
        else { return nil }
        self.at = at
        self.value = value
    }
}
