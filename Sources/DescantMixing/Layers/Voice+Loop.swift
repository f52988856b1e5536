internal import DescantCore

/// The passes of a loop.
extension Voice {
    /// Whether the silence before the next pass is running.
    var isInDelay: Bool { loop?.delayLeft ?? 0 > 0 }

    /// Starts the next pass at the source's first frame.
    func rewind() {
        var isLogged = false
        switch log?.step(at: logPosition) {
        case .nextPass: isLogged = true
        // The converter was flushed here when a pause followed, or the end.
        case .flush(_, let converter?): conversion?.converter = converter
        default: break
        }
        if !isLogged { truncateLog() }
        if deck.rewindsInstantly || standby == nil {
            if !isLogged { deck.seek(toFrame: 0) }
            isSeeking = !deck.rewindsInstantly
        } else if let next = standby {
            standby = deck
            deck = next
            if !isLogged { standby?.seek(toFrame: 0) }
        }
        if !isLogged { log?.append(.nextPass(before: conversion?.converter.copy())) }
        advance()
        cues.removeAll()
        inputPosition = 0
        inputEnded = false
        isDrained = false
        passHasSounded = false
        if loop?.delayLeft ?? 0 <= 0 { changePassFades() }
    }

    /// Replaces the fades of a pass by those of the next one.
    func changePassFades() {
        gains.fades.removeAll { $0.direction == .falling }
        beginPassFades()
    }

    func beginPassFades() {
        guard let loop, loop.fadesInThisPass else { return }
        fadeIn(curve: loop.plan.curve, frames: mix.length(of: loop.plan.fadeIn))
    }

    /// Starts the fade at the end of a pass when it is due; otherwise returns the frames until then.
    func beginPassFadeOut() -> Int64? {
        guard var loop, loop.fadesOutThisPass, !loop.isFadingOut,
            let remaining = remaining(keepsConversion: loop.joinsNextPass)
        else { return nil }
        let length = mix.length(of: loop.plan.fadeOut)
        guard length > 0 else { return nil }
        if remaining > length { return remaining - length }
        gains.fades.append(Fade(.falling, curve: loop.plan.curve, frames: remaining))
        loop.isFadingOut = true
        self.loop = loop
        return nil
    }
}
