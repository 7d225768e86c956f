/**
 * Node's modules for HTTP. An `import` statement would load what they export for WebSockets too, and with it Node's implementation of
 * `fetch`: 9 MB that nothing here uses.
 */
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
