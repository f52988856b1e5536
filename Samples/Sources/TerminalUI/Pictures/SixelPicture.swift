internal import PlayerApp

/// Pictures as sixel: bands of six rows, in each of them one line of characters for every colour.
enum SixelPicture {
    /// The sequence that shows a picture at the cursor.
    ///
    /// The height is a multiple of six pixels: some terminals erase the cells that the last band reaches, whether it has pixels there
    /// or not.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - colors: The maximum number of colours, 2…256.
    static func encode(_ picture: PlacedPicture, colors: Int) -> String {
        let width = picture.width
        let height = max(6, picture.height / 6 * 6)
        let pixels = picture.cover.pixels(width: width, height: height)
        let palette = ColorPalette(of: pixels, count: colors)
        let indices = palette.dither(pixels, width: width)
        // Pixels without a colour stay as they are.
        var output = Array("\u{1b}P0;1;0q\"1;1;\(width);\(height)".utf8)
        for (index, color) in palette.colors.enumerated() {
            let shares = [color.red, color.green, color.blue].map { String((Int($0) * 100 + 127) / 255) }
            output += "#\(index);2;\(shares.joined(separator: ";"))".utf8
        }
        for top in stride(from: 0, to: height, by: 6) {
            encodeBand(indices[top * width..<(top + 6) * width], width: width, into: &output)
            output.append(UInt8(ascii: "-"))
        }
        output += "\u{1b}\\".utf8
        return String(decoding: output, as: UTF8.self)
    }

    private static func encodeBand(_ band: ArraySlice<Int>, width: Int, into output: inout [UInt8]) {
        /// The bits of each column, for every colour of the band.
        var lines: [Int: [UInt8]] = [:]
        for (place, index) in band.enumerated() {
            lines[index, default: Array(repeating: 0, count: width)][place % width] |= 1 << UInt8(place / width)
        }
        for (number, line) in lines.sorted(by: { $0.key < $1.key }).enumerated() {
            // Back to the beginning of the band.
            if number > 0 { output.append(UInt8(ascii: "$")) }
            output += "#\(line.key)".utf8
            encodeRuns(line.value, into: &output)
        }
    }

    private static func encodeRuns(_ line: [UInt8], into output: inout [UInt8]) {
        let end = line.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        var first = 0
        while first < end {
            let next = line[first..<end].firstIndex { $0 != line[first] } ?? end
            let character = line[first] + 63
            if next - first > 3 {
                output += "!\(next - first)".utf8
                output.append(character)
            } else {
                output += Array(repeating: character, count: next - first)
            }
            first = next
        }
    }
}

/// The colours that stand for those of a picture, by median cut.
struct ColorPalette {
    let colors: [CoverArt.Color]

    /// Colours that agree in their upper five bits.
    private struct Bin {
        var sum = SIMD3<Int>()
        var count = 0
        var mean: SIMD3<Int> { sum / max(1, count) }
    }

    /// Chooses the colours.
    ///
    /// - Parameters:
    ///   - pixels: The pixels of the picture.
    ///   - count: The maximum number of colours, at least 1.
    init(of pixels: [CoverArt.Color], count: Int) {
        var table = Array(repeating: Bin(), count: 1 << 15)
        for pixel in pixels {
            let color = SIMD3(pixel)
            table[Self.key(color)].sum &+= color
            table[Self.key(color)].count += 1
        }
        var boxes = [table.filter { $0.count > 0 }]
        while boxes.count < count {
            let widths = boxes.map { $0.count > 1 ? Self.spread($0).width * $0.reduce(0) { $0 + $1.count } : 0 }
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 0 else { break }
            let (lower, upper) = Self.split(boxes[widest])
            boxes[widest] = lower
            boxes.append(upper)
        }
        colors = boxes.filter { !$0.isEmpty }.map { box in
            let total = box.reduce(into: Bin()) { total, bin in
                total.sum &+= bin.sum
                total.count += bin.count
            }
            return CoverArt.Color(total.mean)
        }
    }

    private static func key(_ color: SIMD3<Int>) -> Int {
        (color.x / 8) << 10 | (color.y / 8) << 5 | color.z / 8
    }

    /// The channel in which the colours differ most, and by how much.
    private static func spread(_ box: [Bin]) -> (channel: Int, width: Int) {
        var (low, high) = (SIMD3(repeating: 255), SIMD3(repeating: 0))
        for bin in box {
            low = pointwiseMin(low, bin.mean)
            high = pointwiseMax(high, bin.mean)
        }
        let widths = high &- low
        let channel = [0, 1, 2].max { widths[$0] < widths[$1] } ?? 0
        return (channel, widths[channel])
    }

    /// Divides colours, two at least, where half of the pixels are on either side.
    private static func split(_ box: [Bin]) -> ([Bin], [Bin]) {
        let channel = spread(box).channel
        let sorted = box.sorted { $0.mean[channel] < $1.mean[channel] }
        let half = sorted.reduce(0) { $0 + $1.count } / 2
        var (passed, index) = (sorted[0].count, 1)
        while index < sorted.count - 1, passed < half {
            passed += sorted[index].count
            index += 1
        }
        return (Array(sorted[..<index]), Array(sorted[index...]))
    }

    /// Returns the number of the colour of every pixel. What a colour differs is carried on to the pixels beside and below, after Floyd
    /// and Steinberg.
    ///
    /// - Parameters:
    ///   - pixels: The pixels, row by row.
    ///   - width: Columns of pixels.
    func dither(_ pixels: [CoverArt.Color], width: Int) -> [Int] {
        let palette = colors.map(SIMD3<Int>.init)
        var nearest = Array(repeating: -1, count: 1 << 15)
        var indices = Array(repeating: 0, count: pixels.count)
        // In sixteenths; a column more on each side takes what falls off the edge.
        var here = Array(repeating: SIMD3<Int>(), count: width + 2)
        var below = here
        for (place, pixel) in pixels.enumerated() {
            let column = place % width + 1
            if column == 1, place > 0 {
                (here, below) = (below, Array(repeating: SIMD3<Int>(), count: width + 2))
            }
            let wanted = (SIMD3(pixel) &+ here[column] / 16).clamped(
                lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
            let key = Self.key(wanted)
            if nearest[key] < 0 { nearest[key] = Self.nearest(to: wanted, in: palette) }
            indices[place] = nearest[key]
            let error = wanted &- palette[nearest[key]]
            here[column + 1] &+= error &* 7
            below[column - 1] &+= error &* 3
            below[column] &+= error &* 5
            below[column + 1] &+= error
        }
        return indices
    }

    private static func nearest(to color: SIMD3<Int>, in palette: [SIMD3<Int>]) -> Int {
        var (best, distance) = (0, Int.max)
        for (index, candidate) in palette.enumerated() {
            let difference = color &- candidate
            let squares = (difference &* difference).wrappedSum()
            if squares < distance { (best, distance) = (index, squares) }
        }
        return best
    }
}

extension SIMD3<Int> {
    fileprivate init(_ color: CoverArt.Color) { self.init(Int(color.red), Int(color.green), Int(color.blue)) }
}

extension CoverArt.Color {
    /// Creates a colour of channels that are 0…255.
    fileprivate init(_ channels: SIMD3<Int>) {
        self.init(red: UInt8(channels.x), green: UInt8(channels.y), blue: UInt8(channels.z))
    }
}
