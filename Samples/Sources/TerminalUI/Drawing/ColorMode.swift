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

    /// The number of the nearest colour in the palette: of its cube of 6 × 6 × 6 colours, or of its 24 greys.
    private static func nearest(_ color: CoverArt.Color) -> Int {
        let wanted = [Int(color.red), Int(color.green), Int(color.blue)]
        let levels = [0, 95, 135, 175, 215, 255]
        let cube = wanted.map { value in value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
        let grey = min(23, max(0, (wanted.reduce(0, +) / 3 - 3) / 10))
        func distance(_ other: [Int]) -> Int { zip(wanted, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } }
        let isGrey = distance(Array(repeating: 8 + 10 * grey, count: 3)) < distance(cube.map { levels[$0] })
        return isGrey ? 232 + grey : 16 + 36 * cube[0] + 6 * cube[1] + cube[2]
    }
}
