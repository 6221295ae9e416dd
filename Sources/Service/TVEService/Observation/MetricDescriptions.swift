#if Service
/// What each family of metrics measures, as `/metrics` tells it.
package enum MetricDescriptions {
    /// The families that are kept in the registry, those of the broker's client included.
    package static let texts = [
        "tve_verdicts_total": "Verdicts, those on rows of batches and on decisions included.",
        "tve_requests_total": "Requests that were answered.",
        "tve_request_duration_seconds": "Time from the head of a request to its answer; of a batch, to its last row.",
        "tve_requests_in_flight": "Requests whose head has arrived and that are not answered yet.",
        "tve_store_claim_duration_seconds": "Time that the store of used tokens takes for a redemption.",
        "tve_store_failures_total": "Redemptions that the store of used tokens could not answer.",
        "tve_sessions_started_total": "Playback sessions that were started.",
        "tve_sessions_renewed_total": "Playback sessions that were renewed.",
        "tve_sessions_revoked_total": "Revocations of playback sessions.",
        "tve_reloads_total": "Times that configuration and keys were read again.",
        "tve_decryptions_total": "Decryptions of user metadata.",
        "tve_batch_rows_total": "Rows of batches.",
        "tve_gateway_answers_total": "Answers to apps, by what the app has to do.",
        "tve_gateway_providers_total": "What became of questions about users, by provider.",
        "tve_gateway_events_total": "Events for broker.events.to, by what became of them.",
        "tve_broker_calls_total": "Calls of the broker.",
        "tve_broker_call_duration_seconds": "Time of a call of the broker, with its repeats.",
        "tve_broker_throttled_total": "Answers 429 of the broker.",
        "tve_broker_repeats_total": "Requests to the broker that were repeated.",
        "tve_broker_pacer_wait_seconds": "Time that requests were held back so that the broker takes them.",
    ]
}
#endif
