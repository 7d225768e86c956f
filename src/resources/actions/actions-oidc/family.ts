import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { actionsOidcEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Only the settings of subjects. The issuer of identity tokens reads them. */
export const actionsOidc = family({
  name: 'actions-oidc',
  effect: "Jobs' identity tokens get other subjects and claims, by which other services decide.",
  page: 'actions-oidc.md',
  limits,
  schemas,
  endpoints: [endpoints],
  events: actionsOidcEvents,
});
