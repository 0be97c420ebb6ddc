/** Who speaks in metrics and log where several processes share the ports: 1 and up, or the one that starts the others. */
export type ProcessName = number | 'supervisor'
