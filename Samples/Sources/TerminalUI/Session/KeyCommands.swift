internal import PlayerApp

/// Begins what keys command. No key waits for a slow file or a slow disk.
///
/// A key that names a line of the list waits while the list is changed by keys before it, and so do the keys behind that one which have to
/// do with the list. They wait as keys, because what they mean may depend on those before them.
@MainActor
final class KeyCommands<State: InteractiveState> {
    private let state: State
    private let intent: @MainActor (Key) -> State.Intent?
    private let queue: IntentQueue<State.Intent>
    private var waiting: [Key] = []
    /// Whether one of the keys that wait decides what the next ones mean.
    private var meaningIsOpen = false

    /// - Parameters:
    ///   - state: Carries out the commands.
    ///   - intent: What a key means now.
    init(_ state: State, intent: @escaping @MainActor (Key) -> State.Intent?) {
        self.state = state
        self.intent = intent
        // What a key means depends on what those before it have changed.
        queue = IntentQueue(isPrompt: true) { await state.send($0) }
    }

    /// Begins what a key commands, or lets it wait.
    ///
    /// - Returns: Whether the key ends the app.
    func press(_ key: Key) -> Bool {
        guard let intent = intent(key) else {
            // It may mean something after the keys that wait.
            if meaningIsOpen { waiting.append(key) }
            return false
        }
        guard !mustWait(intent) else {
            waiting.append(key)
            meaningIsOpen = meaningIsOpen || intent.listUse == .changesKeys
            return false
        }
        begin(intent)
        return intent == .quit
    }

    private func mustWait(_ intent: State.Intent) -> Bool {
        guard waiting.isEmpty else { return meaningIsOpen || intent.listUse != .none }
        return intent.listUse == .namesLine && queue.isBusy(.playlist)
    }

    private func begin(_ intent: State.Intent) { queue.send(intent) { [weak self] in self?.beginWaiting() } }

    /// Begins what the keys that wait command, up to the next one that has to wait.
    private func beginWaiting() {
        while let key = waiting.first {
            let intent = intent(key)
            if let intent, intent.listUse == .namesLine, queue.isBusy(.playlist) { return }
            waiting.removeFirst()
            if waiting.isEmpty { meaningIsOpen = false }
            if let intent { begin(intent) }
        }
    }
}
