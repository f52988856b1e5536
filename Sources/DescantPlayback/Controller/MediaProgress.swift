public import Foundation
public import DescantCore

/// How far content was played.
public struct MediaProgress: Sendable, Hashable {
    /// Seconds from the beginning, as heard.
    public var position: TimeInterval
    /// Length in seconds; `nil` while unknown. Of a text that is not loaded yet it is an estimate: 200 words a minute at rate 1.
    public var duration: TimeInterval?
    /// The share that was played, 0…1; 0 while it cannot be told.
    public var fraction: Double
    /// Characters from the beginning of a text; `nil` for content without characters.
    public var characterOffset: Int?
    /// The word that is heard, in characters; `nil` when unknown.
    public var currentWord: Range<Int>?
    /// What an engine does before sound can come out; `nil` when nothing.
    public var generationPhase: EngineProgress.Phase?
    /// Whether the duration may still change.
    public var isEstimated: Bool

    /// Nothing was played.
    public static let none = MediaProgress()

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - position: Seconds from the beginning.
    ///   - duration: Length in seconds.
    ///   - fraction: The share that was played.
    ///   - characterOffset: Characters from the beginning of a text.
    ///   - currentWord: The word that is heard.
    ///   - generationPhase: What an engine does before sound can come out.
    ///   - isEstimated: Whether the duration may still change.
    public init(
        position: TimeInterval = 0, duration: TimeInterval? = nil, fraction: Double = 0, characterOffset: Int? = nil,
        currentWord: Range<Int>? = nil, generationPhase: EngineProgress.Phase? = nil, isEstimated: Bool = false
    ) {
        self.position = position
        self.duration = duration
        self.fraction = fraction
        self.characterOffset = characterOffset
        self.currentWord = currentWord
        self.generationPhase = generationPhase
        self.isEstimated = isEstimated
    }
}
