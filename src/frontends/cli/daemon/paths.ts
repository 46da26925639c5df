// The daemon's HTTP paths that are not MCP.
export const HELLO_PATH = '/daemon/hello';
export const STATUS_PATH = '/daemon/status';
export const OVERVIEW_PATH = '/daemon/overview';
export const STOP_PATH = '/daemon/stop';
export const LEASE_PATH = '/daemon/lease';
