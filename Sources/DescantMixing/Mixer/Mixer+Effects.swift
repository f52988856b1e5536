package import DescantCore
internal import Synchronization

/// An insert, and its effect as it was prepared before any sound.
struct PreparedInsert: Sendable {
    var insert: EffectInsert
    var prepared: any AudioEffect
}

/// The effects of the mix, of its layers and of decks.
extension Mixer {
    package var effectFailures: EventStream<EffectFailure> { effectHub.stream(buffer: .bounded(64)) }

    package func effects(at place: EffectPlace) async -> [EffectInsert] {
        state.withLock { $0.effects[place]?.map(\.insert) ?? [] }
    }

    package var effectTail: Double { get async { mixEffectTail } }

    /// As ``effectTail``, at once.
    var mixEffectTail: Double {
        let chain = state.withLock { $0.effects[.mix] ?? [] }
        return mixFormat.seconds(of: chain.reduce(0) { $0 + ($1.insert.isBypassed ? 0 : Int64($1.prepared.tail)) })
    }

    package func setEffects(_ effects: [EffectInsert], at place: EffectPlace) async throws {
        let target: Layer? = if case .layer(let id) = place { try existingLayer(id) } else { nil }
        let chain = try await prepare(effects, known: state.withLock { $0.effects[place] ?? [] })
        let plan = plan(of: chain)
        changeAll {
            state.withLock { $0.effects[place] = chain }
            if let target { target { $0.effects.set(plan) } } else { output.setEffects(plan) }
        }
    }

    package func effects(of deck: DeckID) async -> [EffectInsert] {
        state.withLock { $0.decks[deck]?.effects.map(\.insert) ?? [] }
    }

    package func setEffects(_ effects: [EffectInsert], of deck: DeckID) async throws -> Bool {
        let chain = try await prepare(effects, known: state.withLock { $0.decks[deck]?.effects ?? [] })
        let plan = plan(of: chain)
        guard let record = state.withLock({ $0.decks.setEffects(chain, plan, of: deck) }) else { return false }
        if let layer = record.layer.flatMap(layer) { change(layer) { $0.setEffects(plan, ofDeck: deck) } }
        return true
    }

    /// Prepares the effects of a place; those that are there already continue.
    private func prepare(_ effects: [EffectInsert], known: [PreparedInsert]) async throws -> [PreparedInsert] {
        guard Set(effects.map(\.id)).count == effects.count else {
            throw CoreError.invalidArgument("an effect is in the list twice; make another insert for the second place")
        }
        var chain: [PreparedInsert] = []
        for insert in effects {
            let prepared = known.first { $0.insert.id == insert.id }?.prepared
            let effect = try await EffectPreparation(insert, format: mixFormat).effect(from: prepared)
            chain.append(PreparedInsert(insert: insert, prepared: effect))
        }
        return chain
    }

    private func plan(of chain: [PreparedInsert]) -> EffectPlan {
        let entries = chain.filter { !$0.insert.isBypassed }.map { entry in
            EffectPlan.Entry(
                id: entry.insert.id, name: entry.insert.name, effect: entry.prepared, values: entry.insert.values)
        }
        return EffectPlan(entries) { [weak self] in self?.report($0) }
    }

    /// Reports each effect once; frames that are rendered again fail again.
    private func report(_ failure: EffectFailure) {
        if failedEffects.withLock({ $0.insert(failure.id).inserted }) { effectHub.post(failure) }
    }
}

/// Prepares an effect for a mix, and refuses one that the mix cannot use.
struct EffectPreparation: Sendable {
    private let insert: EffectInsert
    private let format: PCMFormat

    private let limit: Double

    /// - Parameter limit: The maximum time of the preparation, in seconds.
    init(_ insert: EffectInsert, format: PCMFormat, limit: Double = 10) {
        self.insert = insert
        self.format = format
        self.limit = limit
    }

    /// - Parameter prepared: The effect as it was prepared before; `nil` for a new one.
    /// - Returns: The prepared effect with the insert's values.
    func effect(from prepared: (any AudioEffect)?) async throws -> any AudioEffect {
        try checkDescription()
        do {
            return try await withTimeout(limit, on: "descant.effect.prepare") {
                var effect = prepared ?? insert.effect
                if prepared == nil { try effect.prepare(format, maximumFrames: EffectChain.maximumFrames) }
                for parameter in effect.parameters {
                    let value = insert.values[parameter.identifier] ?? parameter.defaultValue
                    effect.setParameter(parameter.identifier, to: parameter.clamp(value))
                }
                try checkTimes(of: effect)
                return effect
            }
        } catch let error as CoreError {
            throw error.withMessage("effect \"\(insert.name)\": \(error.message)")
        } catch {
            throw CoreError.ioError("effect \"\(insert.name)\" cannot be prepared: \(error)")
        }
    }

    private func checkDescription() throws {
        let parameters = insert.effect.parameters
        if let problem = parameters.lazy.compactMap(\.problem).first { throw refusal(problem) }
        let names = Set(parameters.map(\.identifier))
        guard names.count == parameters.count else { throw refusal("two parameters have the same identifier") }
        if let unknown = insert.values.keys.sorted().first(where: { !names.contains($0) }) {
            throw refusal(
                "there is no parameter \"\(unknown)\"; it has \(parameters.map(\.identifier).joined(separator: ", "))")
        }
    }

    private func refusal(_ reason: String) -> CoreError { .invalidArgument("effect \"\(insert.name)\": \(reason)") }

    private func checkTimes(of effect: any AudioEffect) throws {
        guard (0...EffectPlan.maximumTail * format.sampleRate).contains(effect.tail) else {
            throw CoreError.invalidArgument(
                "its tail is \(effect.tail) frames; at most \(EffectPlan.maximumTail) s are possible")
        }
        guard effect.latency == 0 else {
            throw CoreError.unsupported(
                "it delays the sound by \(effect.latency) frames; effects with latency would make positions wrong")
        }
    }
}
