import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { codeSecurityEvents } from './events.ts';
import { applyConfiguration, attachDefault, enableProduct, leaveConfiguration } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** What organizations want of the security of their repositories: configurations, which set and enforce the switches of these. */
export const codeSecurity = family({
  name: 'code-security',
  effect: 'Many repositories of an organization get the same security products, existing ones or new ones.',
  page: 'security-products.md#configurations-of-an-organization',
  limits,
  schemas,
  endpoints: [endpoints],
  events: codeSecurityEvents,
  subscriptions: [attachDefault, leaveConfiguration],
  jobs: [applyConfiguration, enableProduct],
});
