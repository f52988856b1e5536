internal import ArgumentParser

/// On or off.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}
