import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';

/** A new text of an issue gets its vector. Apart from the index of words, since an embedding server may be away. */
export const embedIssue = subscription<'issue.opened' | 'issue.edited', Services>({
  name: 'search.embed-issue',
  on: ['issue.opened', 'issue.edited'],
  attempts: 10,
  key: ({ data }) => String(data.issue),
  async run({ data: { issue } }, { db, services: { embeddings } }) {
    await embeddings?.embedIssues(db, [issue]);
  },
});

/**
 * Embeds every issue that has no vector of the chosen embedder: all of them after a change of the provider, and those that an
 * embedding server didn't answer for.
 */
export const embedMissing = job<Record<string, never>, Services>({
  name: 'search.embed-missing',
  attempts: 5,
  schedule: { cron: '41 * * * *', atStart: true },
  async run(_payload, { db, services: { embeddings }, log }) {
    if (!embeddings) return;
    let told = 0;
    const started = performance.now();
    const { issues } = await embeddings.embedMissing(db, {
      onProgress({ done, total }) {
        if (done === total || performance.now() - told < everySoOften) return;
        told = performance.now();
        log.info({ done, total, embedder: embeddings.identity }, 'Issues are embedded anew');
      },
    });
    if (issues > 0)
      log.info({ issues, ms: Math.round(performance.now() - started), embedder: embeddings.identity }, 'Issues were embedded');
  },
});

const everySoOften = 10_000;
