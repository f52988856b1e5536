public import DescantCore

// Engines that play through a mixer hand the role of the session on to it.

extension SpeechEngine: StreamRoleEngine {
    /// Sets the role of the mixer's stream; speech has ``AudioRole/speech`` in a controller without a configuration of its own.
    ///
    /// - Parameter role: What the stream is for.
    public func setStreamRole(_ role: AudioRole) async {
        await (mixer as? any StreamRoleEngine)?.setStreamRole(role)
    }
}
