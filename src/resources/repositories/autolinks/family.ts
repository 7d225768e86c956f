import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { autolinkEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const autolinks = family({
  name: 'autolinks',
  effect: "References such as TICKET-1 in a repository's texts become links, or stop being links.",
  page: 'texts.md#autolinks',
  limits,
  schemas,
  endpoints: [endpoints],
  events: autolinkEvents,
});
