internal import PlayerApp

/// The number of colours to use on a terminal.
public enum ColorMode: Sendable, Hashable {
    /// None: bold, dim and inverse only.
    case none
    /// The palette of 256 colours.
    case palette
    /// 24 bits.
    case trueColor

    /// The mode that an environment requests: NO_COLOR (any value but the empty one) or TERM=dumb turn colours off,
    /// COLORTERM=truecolor or 24bit turns them all on.
    ///
    /// - Parameter environment: The process's environment.
    public init(environment: [String: String]) {
        if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false || environment["TERM"] == "dumb" {
            self = .none
        } else if let value = environment["COLORTERM"], value.contains("truecolor") || value.contains("24bit") {
            self = .trueColor
        } else {
            self = .palette
        }
    }

    /// The escape sequence that begins a style, after a reset.
    ///
    /// - Parameters:
    ///   - style: The style.
    ///   - theme: The colours.
    public func sequence(for style: TextStyle, theme: Theme = .standard) -> String {
        switch style {
        case .plain: "\u{1b}[0m"
        case .strong: "\u{1b}[0;1m"
        case .dim: "\u{1b}[0;2m"
        case .selected: "\u{1b}[0;7m"
        case .accent: sequence(for: theme.accent)
        case .second: sequence(for: theme.second)
        case .low: sequence(for: theme.low)
        case .high: sequence(for: theme.high)
        case .critical: sequence(for: theme.critical)
        case .pixels(let top, let bottom): sequence(top, bottom)
        }
    }

    private func sequence(for shade: Theme.Shade) -> String {
        switch (self, shade) {
        case (.none, _): "\u{1b}[0m"
        case (_, .terminal(let number)): "\u{1b}[0;\(30 + number)m"
        case (.palette, .color(_, _, _, let palette)): "\u{1b}[0;38;5;\(palette)m"
        case (.trueColor, .color(let red, let green, let blue, _)): "\u{1b}[0;38;2;\(red);\(green);\(blue)m"
        }
    }

    private func sequence(_ top: CoverArt.Color, _ bottom: CoverArt.Color) -> String {
        switch self {
        case .none: "\u{1b}[0m"
        case .palette: "\u{1b}[0;38;5;\(Self.nearest(top));48;5;\(Self.nearest(bottom))m"
        case .trueColor:
            "\u{1b}[0;38;2;\(top.red);\(top.green);\(top.blue);48;2;\(bottom.red);\(bottom.green);\(bottom.blue)m"
        }
    }

    /// The number of the nearest colour in the palette's cube of 6 × 6 × 6 colours.
    private static func nearest(_ color: CoverArt.Color) -> Int {
        // The levels are 0, 95, 135, 175, 215 and 255.
        let level = { (value: UInt8) in value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40 }
        return 16 + 36 * level(color.red) + 6 * level(color.green) + level(color.blue)
    }
}
