import { family } from '#resources/family.ts';
import * as gpgKeyEndpoints from './endpoints/gpg-keys.ts';
import * as sshSigningKeyEndpoints from './endpoints/ssh-signing-keys.ts';
import { signingKeyEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const signingKeys = family({
  name: 'signing-keys',
  schemas,
  endpoints: [gpgKeyEndpoints, sshSigningKeyEndpoints],
  events: signingKeyEvents,
});
