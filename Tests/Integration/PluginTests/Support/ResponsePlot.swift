import Foundation

/// Draws the frequency response for the documentation.
struct ResponsePlot {
    let response: DecimationResponse
    /// The title of the picture.
    let title: String

    private let width = 640.0
    private let height = 320.0
    private let left = 56.0
    private let top = 34.0
    private let right = 16.0
    private let bottom = 40.0
    private let hertz = 0.0...120_000.0
    private let decibels = -140.0...10.0

    /// The picture, with whole numbers only, so that it is the same on every machine.
    var svg: String {
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(width)) \(Int(height))\" font-family=\"sans-serif\" font-size=\"11\">",
            "<rect width=\"\(Int(width))\" height=\"\(Int(height))\" fill=\"#fff\"/>",
            "<text x=\"\(Int(left))\" y=\"20\" font-size=\"13\">\(title)</text>",
        ]
        for level in stride(from: -140, through: 0, by: 20) {
            lines.append(line(x(hertz.lowerBound), y(Double(level)), x(hertz.upperBound), y(Double(level)), "#ddd"))
            lines.append(text("\(level) dB", x(hertz.lowerBound) - 6, y(Double(level)) + 4, anchor: "end"))
        }
        for kilohertz in stride(from: 0, through: 120, by: 20) {
            let place = x(Double(kilohertz) * 1000)
            lines.append(line(place, y(10), place, y(-140), "#ddd"))
            lines.append(text("\(kilohertz) kHz", place, Int(height - bottom) + 16, anchor: "middle"))
        }
        // The documented limits: flat to 20 kHz, and -100 dB from half the output's rate on.
        lines.append(line(x(44_100), y(-100), x(hertz.upperBound), y(-100), "#c33"))
        lines.append(line(x(20_000), y(10), x(20_000), y(-140), "#c33"))
        let points = stride(from: hertz.lowerBound, through: hertz.upperBound, by: 400).map { hertz in
            "\(x(hertz)),\(y(max(decibels.lowerBound, response.decibels(at: hertz))))"
        }
        lines.append(
            "<polyline fill=\"none\" stroke=\"#06c\" stroke-width=\"1.5\" points=\"\(points.joined(separator: " "))\"/>"
        )
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func x(_ value: Double) -> Int {
        Int(
            (left + (value - hertz.lowerBound) / (hertz.upperBound - hertz.lowerBound) * (width - left - right))
                .rounded())
    }

    private func y(_ value: Double) -> Int {
        let share = (decibels.upperBound - value) / (decibels.upperBound - decibels.lowerBound)
        return Int((top + share * (height - top - bottom)).rounded())
    }

    private func line(_ x1: Int, _ y1: Int, _ x2: Int, _ y2: Int, _ color: String) -> String {
        "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" stroke=\"\(color)\"/>"
    }

    private func text(_ words: String, _ x: Int, _ y: Int, anchor: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(words)</text>"
    }
}
