public import DescantCore

/// Controls the environment of an audio session while its contract is checked: other programs, devices and the sound
/// server.
///
/// The test of an adapter controls a real server with it; ``ScriptedAudioSession`` controls itself.
public protocol AudioSessionBench: Sendable {
    /// Starts another program that plays.
    ///
    /// - Parameter role: The role of its stream, such as music or a call.
    /// - Throws: When the program cannot be started; the contract is then not checked.
    func startOther(_ role: AudioRole) async throws

    /// Ends every program that ``startOther(_:)`` has started.
    ///
    /// - Throws: When the environment cannot be changed; the contract is then not checked.
    func stopOthers() async throws

    /// Makes another device the default.
    ///
    /// - Throws: When the environment cannot be changed; the contract is then not checked.
    func changeDefaultDevice() async throws

    /// Removes the default device; the server chooses another one.
    ///
    /// - Throws: When the environment cannot be changed; the contract is then not checked.
    func removeDevice() async throws

    /// Ends the sound server. Returns when it has ended.
    ///
    /// - Throws: When the environment cannot be changed; the contract is then not checked.
    func killServer() async throws

    /// Starts the sound server again. Returns when it answers.
    ///
    /// - Throws: When the environment cannot be changed; the contract is then not checked.
    func restartServer() async throws
}
