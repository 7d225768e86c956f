import type { Id } from '#lib/id.ts';
import { aboutRepository, eventKinds, type PayloadBuilder, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';
import { presentAdvisory } from './present.ts';
import { presentSecurityAdvisory } from './present-global.ts';
import { findWhole } from './store.ts';

type Advisory = { advisory: Id<'repository_advisories'> };

declare module '#events/kinds.ts' {
  interface EventData {
    'repository_advisory.created': Advisory;
    'repository_advisory.reported': Advisory;
    'repository_advisory.changed': Advisory;
    'repository_advisory.published': Advisory;
    /** Its content changed after publication. */
    'repository_advisory.updated': Advisory;
    'repository_advisory.withdrawn': Advisory;
  }
}

const permission = 'repository_advisories:read';
const repositoryEvent = webhookEventType({ name: 'repository_advisory', permission, hooks: 'all' });
const securityEvent = webhookEventType({ name: 'security_advisory', permission: 'none', hooks: 'apps' });

type Kind = 'reported' | 'published' | 'updated' | 'withdrawn';

/** The public API sends reports and publications as such, and sends apps everything that is public. */
const types = {
  reported: [repositoryEvent],
  published: [repositoryEvent, securityEvent],
  updated: [securityEvent],
  withdrawn: [securityEvent],
} as const;

const payload = <Action extends Kind>(action: Action): PayloadBuilder<`repository_advisory.${Action}`> =>
  payloadBuilder(types[action], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const row = await findWhole(context.db, event.data.advisory);
      if (!row) return [];
      const advisory = await presentAdvisory(context, row, repository);
      return types[action].map((type) => ({
        type,
        action,
        body:
          type === repositoryEvent ? { repository_advisory: advisory } : { security_advisory: presentSecurityAdvisory(advisory) },
      }));
    }),
  );

export const repositoryAdvisoryEvents = eventKinds({
  'repository_advisory.created': 'no webhook',
  'repository_advisory.reported': payload('reported'),
  'repository_advisory.changed': 'no webhook',
  'repository_advisory.published': payload('published'),
  'repository_advisory.updated': payload('updated'),
  'repository_advisory.withdrawn': payload('withdrawn'),
});
