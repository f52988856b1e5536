internal import DescantCore

/// The clips that were made last, up to a number of bytes. The key is all that decides on the sound: text, voice, language, rate
/// and pitch.
struct SpeechClipCache {
    private let limit: Int
    private var clips: [SpeechRequest: (clip: SpeechClip, bytes: Int, used: UInt64)] = [:]
    private var uses: UInt64 = 0
    /// The bytes that are kept.
    private(set) var byteCount = 0

    init(limit: Int) { self.limit = max(0, limit) }

    /// A clip, which counts as used.
    mutating func clip(for request: SpeechRequest) -> SpeechClip? {
        guard let clip = clips[request]?.clip else { return nil }
        uses += 1
        clips[request]?.used = uses
        return clip
    }

    /// Keeps a clip, and forgets those that were not used for the longest time.
    mutating func insert(_ clip: SpeechClip) {
        let bytes = clip.byteCount
        guard bytes <= limit, clips[clip.request] == nil else { return }
        uses += 1
        clips[clip.request] = (clip, bytes, uses)
        byteCount += bytes
        while byteCount > limit, let oldest = clips.min(by: { $0.value.used < $1.value.used }) {
            clips[oldest.key] = nil
            byteCount -= oldest.value.bytes
        }
    }

    mutating func removeAll() {
        clips = [:]
        byteCount = 0
    }
}
