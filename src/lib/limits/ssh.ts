import { limitGroup, minutes, seconds } from './limit.ts';

export const sshLimits = limitGroup('ssh', 'SSH', {
  connections: { value: 1_024, unit: 'count', of: 'connections of one process', past: 'further ones are closed at once' },
  connectionsPerAddress: {
    value: 64,
    unit: 'count',
    of: 'connections of one address to one process',
    past: 'further ones are closed at once',
  },
  strangers: {
    value: 100,
    unit: 'count',
    of: 'connections of one process that have not authenticated yet',
    past: 'for a further one, the oldest of the address with most of them is closed',
  },
  recentAddresses: {
    value: 10_000,
    unit: 'count',
    of: 'addresses that authenticated last, whose connections are closed for others only where all are of such addresses',
    past: 'the one that authenticated longest ago is forgotten',
  },
  strangersPerAddress: {
    value: 20,
    unit: 'count',
    of: 'such connections of one address',
    past: 'further ones are closed at once',
  },
  authenticationTime: {
    value: 30 * seconds,
    unit: 'milliseconds',
    of: 'a connection to authenticate',
    past: 'it is closed',
  },
  keys: { value: 20, unit: 'count', of: 'keys that one connection offers', past: 'it is closed' },
  failures: {
    value: 100,
    unit: 'count',
    of: 'connections of one address in 15 minutes that end without having authenticated',
    past: 'further ones are closed at once',
  },
  sessions: { value: 10, unit: 'count', of: 'sessions of one connection at once', past: 'further ones are refused' },
  rekeys: {
    value: 20,
    unit: 'count',
    of: 'exchanges of keys of one connection in a minute, after the first',
    past: 'it is closed',
  },
  perConnection: { value: 1_000, unit: 'count', of: 'commands over one connection', past: 'it is closed after the last' },
  idleConnection: { value: 2 * minutes, unit: 'milliseconds', of: 'a connection in which no command runs', past: 'it is closed' },
  unreadTime: {
    value: 30 * seconds,
    unit: 'milliseconds',
    of: 'a client to end its side of a command that has ended',
    past: 'the session is closed',
  },
});
