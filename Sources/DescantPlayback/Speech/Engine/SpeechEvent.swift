public import DescantCore

/// An event of spoken text. What is heard is delivered when it is heard, not when it is synthesized, and not while paused.
public struct SpeechEvent: Sendable, Hashable {
    /// What happened. Ranges are UTF-8 bytes of the engine's whole text; ``TextRanges`` converts them.
    public enum Kind: Sendable, Hashable {
        /// A sentence begins.
        case sentence(utf8Range: Range<Int>)
        /// A word begins; whether the moment was computed rather than measured.
        case word(utf8Range: Range<Int>, isEstimated: Bool)
        /// An utterance was heard to its end. One without sound ends when its turn comes.
        case utteranceEnded(SpeechUtterance)
        /// Something in the text cannot be spoken as requested; reported when its sentence was heard.
        case warning(SpeechWarning)
        /// Everything was heard to its end.
        case finished
        /// Speech has failed; `play()` tries again at the present word.
        case failed(CoreError)
        /// The voice of the settings was loaded ahead of the first sound; with the error when it was not.
        case prepared(CoreError?)
        /// The work before sound can come out has changed; `nil` when there is none.
        case phase(EngineProgress.Phase?)
    }

    /// The frame on the output's timeline; `nil` for what has no sound.
    public var frame: Int64?
    /// What happened.
    public var kind: Kind

    /// Creates an event; engines do this.
    ///
    /// - Parameters:
    ///   - frame: The frame on the output's timeline.
    ///   - kind: What happened.
    public init(frame: Int64?, kind: Kind) {
        self.frame = frame
        self.kind = kind
    }
}
