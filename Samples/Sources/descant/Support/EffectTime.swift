internal import ArgumentParser
internal import Foundation
internal import PlayerIntegration

/// "FILE@SECONDS": a sound effect and when it is heard.
struct EffectTime: ExpressibleByArgument {
    let url: URL
    let at: Double

    init?(argument: String) {
        guard let sign = argument.lastIndex(of: "@"), sign != argument.startIndex,
            let at = Double(argument[argument.index(after: sign)...]), at >= 0, at.isFinite
        else { return nil }
        self.at = at
        url = InputExpander.url(for: String(argument[..<sign]))
    }
}
