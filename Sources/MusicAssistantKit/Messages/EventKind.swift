/// The kind of an event; kinds of newer servers keep their text.
public struct EventKind: OpenValue {
    /// The server's text for this value.
    public let rawValue: String

    /// Creates a kind from the server's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server sent `player_added`.
    public static let playerAdded: Self = "player_added"
    /// The server sent `player_updated`.
    public static let playerUpdated: Self = "player_updated"
    /// The server sent `player_removed`.
    public static let playerRemoved: Self = "player_removed"
    /// The server sent `player_config_updated`.
    public static let playerConfigUpdated: Self = "player_config_updated"
    /// The server sent `player_dsp_config_updated`.
    public static let playerDspConfigUpdated: Self = "player_dsp_config_updated"
    /// The server sent `player_options_updated`.
    public static let playerOptionsUpdated: Self = "player_options_updated"
    /// The server sent `player_sleep_timer_updated`.
    public static let playerSleepTimerUpdated: Self = "player_sleep_timer_updated"
    /// The server sent `dsp_presets_updated`.
    public static let dspPresetsUpdated: Self = "dsp_presets_updated"
    /// The server sent `dsp_irs_updated`.
    public static let dspIrsUpdated: Self = "dsp_irs_updated"
    /// The server sent `queue_added`.
    public static let queueAdded: Self = "queue_added"
    /// The server sent `queue_updated`.
    public static let queueUpdated: Self = "queue_updated"
    /// The server sent `queue_items_updated`.
    public static let queueItemsUpdated: Self = "queue_items_updated"
    /// The server sent `queue_time_updated`.
    public static let queueTimeUpdated: Self = "queue_time_updated"
    /// The server sent `media_item_played`.
    public static let mediaItemPlayed: Self = "media_item_played"
    /// The server sent `media_item_added`.
    public static let mediaItemAdded: Self = "media_item_added"
    /// The server sent `media_item_updated`.
    public static let mediaItemUpdated: Self = "media_item_updated"
    /// The server sent `media_item_deleted`.
    public static let mediaItemDeleted: Self = "media_item_deleted"
    /// The server sent `favorite_updated`.
    public static let favoriteUpdated: Self = "favorite_updated"
    /// The server sent `playlog_updated`.
    public static let playlogUpdated: Self = "playlog_updated"
    /// The server sent `providers_updated`.
    public static let providersUpdated: Self = "providers_updated"
    /// The server sent `provider_event`.
    public static let providerEvent: Self = "provider_event"
    /// The server sent `setup_flow_updated`.
    public static let setupFlowUpdated: Self = "setup_flow_updated"
    /// The server sent `sync_tasks_updated`.
    public static let syncTasksUpdated: Self = "sync_tasks_updated"
    /// The server sent `tasks_updated`.
    public static let tasksUpdated: Self = "tasks_updated"
    /// The server sent `dashboard_show`.
    public static let dashboardShow: Self = "dashboard_show"
    /// The server sent `dashboard_hide`.
    public static let dashboardHide: Self = "dashboard_hide"
    /// The server sent `dashboards_updated`.
    public static let dashboardsUpdated: Self = "dashboards_updated"
    /// The server sent `dashboard_sessions_updated`.
    public static let dashboardSessionsUpdated: Self = "dashboard_sessions_updated"
    /// The server sent `music_sync_completed`.
    public static let musicSyncCompleted: Self = "music_sync_completed"
    /// The server sent `auth_session`.
    public static let authSession: Self = "auth_session"
    /// The server sent `core_state_updated`.
    public static let coreStateUpdated: Self = "core_state_updated"
    /// The server sent `application_shutdown`.
    public static let applicationShutdown: Self = "application_shutdown"
}
