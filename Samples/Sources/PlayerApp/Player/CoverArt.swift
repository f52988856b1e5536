/// A small picture of a track, for views.
public struct CoverArt: Sendable, Hashable {
    /// A colour.
    public struct Color: Sendable, Hashable {
        /// Red, 0…255.
        public var red: UInt8
        /// Green, 0…255.
        public var green: UInt8
        /// Blue, 0…255.
        public var blue: UInt8

        /// Creates a colour.
        ///
        /// - Parameters:
        ///   - red: Red, 0…255.
        ///   - green: Green, 0…255.
        ///   - blue: Blue, 0…255.
        public init(red: UInt8, green: UInt8, blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// Columns of pixels.
    public let width: Int
    /// Rows of pixels.
    public let height: Int
    private let pixels: [Color]

    /// Creates a picture; `nil` when the pixels do not fill it.
    ///
    /// - Parameters:
    ///   - width: Columns of pixels, at least 1.
    ///   - height: Rows of pixels, at least 1.
    ///   - pixels: The pixels, row by row.
    public init?(width: Int, height: Int, pixels: [Color]) {
        guard width > 0, height > 0, pixels.count == width * height else { return nil }
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Red, green and blue of all pixels, row by row.
    public var bytes: [UInt8] { pixels.flatMap { [$0.red, $0.green, $0.blue] } }

    /// Returns the mean colour of a rectangle.
    ///
    /// - Parameters:
    ///   - columns: Where it is, as shares of the width, 0…1.
    ///   - rows: Where it is, as shares of the height, 0…1.
    public func color(columns: Range<Double>, rows: Range<Double>) -> Color {
        let columns = Self.range(columns, of: width)
        let rows = Self.range(rows, of: height)
        var sum = (red: 0, green: 0, blue: 0)
        for row in rows {
            for column in columns {
                let pixel = pixels[row * width + column]
                sum = (sum.red + Int(pixel.red), sum.green + Int(pixel.green), sum.blue + Int(pixel.blue))
            }
        }
        let count = rows.count * columns.count
        return Color(red: UInt8(sum.red / count), green: UInt8(sum.green / count), blue: UInt8(sum.blue / count))
    }

    /// The pixels of a range of shares: one at least.
    private static func range(_ shares: Range<Double>, of count: Int) -> Range<Int> {
        // 29 / 200 × 200 is less than 29 in floating point.
        let first = min(count - 1, max(0, Int(shares.lowerBound * Double(count) + 1e-6)))
        let end = min(count, max(first + 1, Int((shares.upperBound * Double(count)).rounded())))
        return first..<end
    }
}
