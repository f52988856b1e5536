/// The colours of the styles.
public struct Theme: Sendable, Hashable {
    /// The colour of a style.
    public enum Shade: Sendable, Hashable {
        /// Red, green and blue, 0…255, and the nearest colour of the palette of 256.
        case color(Int, Int, Int, palette: Int)
        /// One of the terminal's own eight colours, 0…7, as its settings show it.
        case terminal(Int)
    }

    /// The name in the settings.
    public let name: String
    let accent: Shade
    let second: Shade
    let low: Shade
    let high: Shade
    let critical: Shade

    /// For dark and most light backgrounds.
    public static let standard = Theme(
        name: "standard", accent: .color(98, 160, 234, palette: 75), second: .color(192, 97, 203, palette: 170),
        low: .color(87, 186, 124, palette: 71), high: .color(229, 165, 10, palette: 178),
        critical: .color(237, 51, 59, palette: 203))

    /// Darker, for white backgrounds.
    public static let light = Theme(
        name: "light", accent: .color(26, 95, 180, palette: 25), second: .color(129, 61, 156, palette: 90),
        low: .color(38, 122, 72, palette: 29), high: .color(156, 93, 0, palette: 130),
        critical: .color(192, 28, 40, palette: 124))

    /// The colours of lamplight.
    public static let warm = Theme(
        name: "warm", accent: .color(230, 158, 92, palette: 173), second: .color(209, 131, 131, palette: 174),
        low: .color(168, 176, 101, palette: 143), high: .color(236, 190, 80, palette: 179),
        critical: .color(224, 86, 70, palette: 167))

    /// The colours that the terminal is set to.
    public static let terminal = Theme(
        name: "terminal", accent: .terminal(4), second: .terminal(5), low: .terminal(2), high: .terminal(3),
        critical: .terminal(1))

    /// Every theme.
    public static let all = [standard, light, warm, terminal]
}
