import { family } from '#resources/family.ts';
import * as accountEndpoints from './endpoints/accounts.ts';
import * as emailEndpoints from './endpoints/emails.ts';
import * as keyEndpoints from './endpoints/keys.ts';
import { accountEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { User } from './schemas.ts';

export const accounts = family({
  name: 'accounts',
  effect: "An account's profile, e-mail addresses or SSH keys change; a key gives access to Git over SSH.",
  page: 'accounts.md',
  limits,
  interpreters: [{ reads: 'keys and signatures of SSH and OpenPGP', runs: 'steps', modules: ['rules.ts'], bounds: [] }],
  schemas,
  endpoints: [accountEndpoints, emailEndpoints, keyEndpoints],
  events: accountEvents,
  payloadParts: { member: User, sender: User, assignee: User },
});
