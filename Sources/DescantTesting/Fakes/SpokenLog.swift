internal import DescantCore

/// Sorts the log of a spoken text into an order that does not depend on the speed of the synthesizer.
public enum SpokenLog {
    /// The names of the events about the synthesis of a sentence.
    private static let synthesisNames: Set<String> = ["speech.generate", "speech.complete", "speech.discard"]

    /// Moves the events about the synthesis of sentences behind all others, sentence by sentence.
    ///
    /// - Parameter log: The log.
    /// - Returns: A new log with the same events.
    public static func ordered(_ log: RecordingLogger) -> RecordingLogger {
        let events = log.events
        let sentences = events.filter { synthesisNames.contains($0.name) }
        let ordered = RecordingLogger()
        for event in events where !synthesisNames.contains(event.name) { ordered.record(event) }
        let numbers = sentences.map { Int($0.fields[.attemptId]?.description ?? "") ?? 0 }
        for number in Set(numbers).sorted() {
            for (event, sentence) in zip(sentences, numbers) where sentence == number { ordered.record(event) }
        }
        return ordered
    }
}
