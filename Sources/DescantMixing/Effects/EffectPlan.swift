package import DescantCore
internal import Synchronization

/// The effects of a chain with their settings. Two plans are equal when one is a copy of the other.
package struct EffectPlan: Sendable, Equatable {
    /// A prepared effect, before any sound.
    package struct Entry: Sendable {
        package var id: EffectID
        package var name: String
        package var effect: any AudioEffect
        package var values: [String: Double]

        package init(id: EffectID, name: String, effect: any AudioEffect, values: [String: Double]) {
            self.id = id
            self.name = name
            self.effect = effect
            self.values = values
        }
    }

    package let entries: [Entry]
    /// Called on the thread that renders; must not wait.
    package let onFailure: @Sendable (EffectFailure) -> Void
    /// The frames for which the effects sound after the last sound.
    package let tail: Int
    private let version: UInt64

    /// The maximum tail of an effect, in seconds.
    package static let maximumTail = 60
    private static let lastVersion = Atomic<UInt64>(0)

    package var isEmpty: Bool { entries.isEmpty }

    package init(_ entries: [Entry], onFailure: @escaping @Sendable (EffectFailure) -> Void = { _ in }) {
        self.entries = entries
        self.onFailure = onFailure
        tail = entries.reduce(0) { $0 + $1.effect.tail }
        version = entries.isEmpty ? 0 : Self.lastVersion.add(1, ordering: .relaxed).newValue
    }

    package static func == (left: EffectPlan, right: EffectPlan) -> Bool { left.version == right.version }
}
