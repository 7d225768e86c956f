/**
 * Node's modules for HTTP. An `import` statement would also load their WebSocket exports, and with them Node's implementation of
 * `fetch`: 9 MB that nothing here uses.
 */
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
