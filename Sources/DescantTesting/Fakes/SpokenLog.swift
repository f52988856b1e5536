internal import DescantCore

/// The log of a spoken text in an order that does not depend on how quick a synthesizer is.
public enum SpokenLog {
    /// What making the sound of a sentence is told by.
    private static let making: Set<String> = ["speech.generate", "speech.complete", "speech.discard"]

    /// Puts what was told of the making of sentences behind everything else, sentence by sentence.
    ///
    /// - Parameter log: The log.
    /// - Returns: Another one with the same events.
    public static func ordered(_ log: RecordingLogger) -> RecordingLogger {
        let events = log.events
        let sentences = events.filter { making.contains($0.name) }
        let ordered = RecordingLogger()
        for event in events where !making.contains(event.name) { ordered.record(event) }
        let numbers = sentences.map { Int($0.fields[.attemptId]?.description ?? "") ?? 0 }
        for number in Set(numbers).sorted() {
            for (event, sentence) in zip(sentences, numbers) where sentence == number { ordered.record(event) }
        }
        return ordered
    }
}
