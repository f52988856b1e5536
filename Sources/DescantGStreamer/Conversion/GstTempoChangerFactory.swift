package import DescantCore
package import DescantMixing

/// Makes tempo changers on GStreamer's scaletempo.
package struct GstTempoChangerFactory: TempoChangerFactory {
    /// Creates a factory; any number can exist.
    package init() {}

    /// A changer for one stream at one speed.
    ///
    /// - Throws: `CoreError.unsupported` when the element is missing, `CoreError.invalidArgument` for an impossible rate.
    package func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger {
        guard (0.1...10).contains(rate) else {
            throw CoreError.invalidArgument("a speed of \(rate); 0.1 to 10 are possible")
        }
        return try ScaletempoChanger(format: format, rate: rate)
    }
}
