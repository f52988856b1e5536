public import DescantCore

/// What happens around an audio session while its contract is checked: other programs, devices, the server's life.
///
/// An adapter's test drives a real server with it; the scripted session is its own bench.
public protocol AudioSessionBench: Sendable {
    /// Lets another program play.
    ///
    /// - Parameter role: What it plays.
    /// - Throws: When it cannot be done; the contract is then not checked.
    func startOther(_ role: AudioRole) async throws

    /// Ends whatever ``startOther(_:)`` has begun.
    ///
    /// - Throws: When it cannot be done.
    func stopOthers() async throws

    /// Makes another device the default.
    ///
    /// - Throws: When it cannot be done.
    func changeDefaultDevice() async throws

    /// Takes the device away that is the default; the server chooses another one.
    ///
    /// - Throws: When it cannot be done.
    func removeDevice() async throws

    /// Ends the sound server. Returns when it is gone.
    ///
    /// - Throws: When it cannot be done.
    func killServer() async throws

    /// Begins the sound server again. Returns when it answers.
    ///
    /// - Throws: When it cannot be done.
    func restartServer() async throws
}
