/// Names of codecs as a person would say them.
enum CodecName {
    /// The name to show for what an element put into the codec tag.
    static func display(_ tag: String?) -> String {
        guard let tag else { return "" }
        if tag.hasPrefix("Free Lossless Audio Codec") { return "FLAC" }
        if tag.hasPrefix("Apple Lossless") { return "ALAC" }
        if tag.hasPrefix("Uncompressed") { return "PCM" }
        return tag
    }

    /// Whether a codec keeps every bit, so that its samples have a depth.
    static func isLossless(_ tag: String?) -> Bool {
        guard let tag = tag?.lowercased() else { return false }
        return ["lossless", "pcm", "flac", "alac", "wavpack", "true audio", "monkey"].contains { tag.contains($0) }
    }
}
