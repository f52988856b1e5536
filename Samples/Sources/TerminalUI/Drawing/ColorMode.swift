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
    /// - Parameter style: The style.
    public func sequence(for style: TextStyle) -> String {
        switch style {
        case .plain: "\u{1b}[0m"
        case .strong: "\u{1b}[0;1m"
        case .dim: "\u{1b}[0;2m"
        case .selected: "\u{1b}[0;7m"
        case .accent: color(98, 160, 234, palette: 75)
        case .second: color(192, 97, 203, palette: 170)
        case .low: color(87, 186, 124, palette: 71)
        case .high: color(229, 165, 10, palette: 178)
        case .critical: color(237, 51, 59, palette: 203)
        }
    }

    private func color(_ red: Int, _ green: Int, _ blue: Int, palette: Int) -> String {
        switch self {
        case .none: "\u{1b}[0m"
        case .palette: "\u{1b}[0;38;5;\(palette)m"
        case .trueColor: "\u{1b}[0;38;2;\(red);\(green);\(blue)m"
        }
    }
}
