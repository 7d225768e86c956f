import { family } from '#resources/family.ts';
import * as gpgKeyEndpoints from './endpoints/gpg-keys.ts';
import * as sshSigningKeyEndpoints from './endpoints/ssh-signing-keys.ts';
import { signingKeyEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const signingKeys = family({
  name: 'signing-keys',
  effect: 'Commits and tags that a key signs are verified from then on.',
  page: 'signatures.md',
  limits,
  interpreters: [{ reads: 'keys and signatures of SSH and OpenPGP', runs: 'steps', modules: ['rules.ts'], bounds: [] }],
  schemas,
  endpoints: [gpgKeyEndpoints, sshSigningKeyEndpoints],
  events: signingKeyEvents,
});
