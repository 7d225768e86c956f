import { limitGroup } from '#lib/limits.ts';

export const oauthLimits = limitGroup('oauth', 'Sign-in and OAuth', {
  requests: {
    value: 5_000,
    unit: 'count',
    of: 'requests of one address in an hour for signing in on the web and authorizing apps and devices (with rate limits on)',
    past: '429 with Retry-After',
  },
  deviceCodes: {
    value: 50,
    unit: 'count',
    of: 'device codes that one address asks for in 15 minutes',
    past: '429 with Retry-After',
  },
  deviceCodesOfApp: {
    value: 5_000,
    unit: 'count',
    of: 'device codes that one app requests in 15 minutes',
    past: '429 with Retry-After',
  },
  manifests: {
    value: 50,
    unit: 'count',
    of: 'manifests of apps that one address sends in 15 minutes',
    past: '429 with Retry-After',
  },
  wrongPasswords: {
    value: 20,
    unit: 'count',
    of: 'wrong passwords of one address in 15 minutes, for accounts that never signed in from there',
    past: '429 with Retry-After',
  },
  wrongPasswordsAtAddress: {
    value: 20,
    unit: 'count',
    of: 'wrong passwords for one user name in 15 minutes at an address from which that account signed in before',
    past: '429 with Retry-After',
  },
  wrongPasswordsOfUser: {
    value: 300,
    unit: 'count',
    of: 'wrong passwords for one user name in 15 minutes from all other addresses',
    past: '429 with Retry-After at those addresses',
  },
  knownAddresses: {
    value: 50,
    unit: 'count',
    of: 'addresses that are remembered for one account, from which it signed in during the last 180 days',
    past: 'the one that was unused longest is forgotten',
  },
  wrongUserCodes: {
    value: 20,
    unit: 'count',
    of: 'codes of devices that one account types in 15 minutes',
    past: '429 with Retry-After',
  },
  sessions: { value: 50, unit: 'count', of: 'sessions on the web of one account', past: 'the oldest ends' },
  passwords: {
    value: 2,
    unit: 'count',
    of: 'passwords that are checked at once; one fewer for accounts that never signed in from that address',
    past: 'further ones wait',
  },
  passwordsPerCaller: {
    value: 1,
    unit: 'count',
    of: 'passwords that are checked at once for one address',
    past: 'further ones wait',
  },
});
