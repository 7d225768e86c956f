import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { unique } from '#lib/collections.ts';

const changes = ['issue.opened', 'issue.edited', 'pull_request.opened', 'pull_request.edited'] as const;

/**
 * Embeds issues and pull requests when their texts change. It is separate from the indexing of words, since an embedding server
 * may be unavailable.
 */
export const embedChanged = batchSubscription<(typeof changes)[number], JobContext>({
  name: 'search.embed-issue',
  on: changes,
  attempts: 10,
  async runAll(events, { db, services: { embeddings } }) {
    await embeddings?.embedIssues(db, unique(events.map(({ data }) => data.issue)));
  },
});

/**
 * Embeds the issues without a vector of the chosen provider: all issues after a change of provider or model, and issues for which
 * the embedding server was unavailable.
 */
export const embedMissing = job<Record<string, never>, JobContext>({
  name: 'search.embed-missing',
  attempts: 5,
  schedule: { cron: '41 * * * *', atStart: true },
  async run(_payload, { db, services: { embeddings }, log }) {
    if (!embeddings) return;
    let lastLogAt = 0;
    const started = performance.now();
    const { issues } = await embeddings.embedMissing(db, {
      onProgress({ done, total }) {
        if (done === total || performance.now() - lastLogAt < logIntervalMs) return;
        lastLogAt = performance.now();
        log.info({ done, total, embedder: embeddings.identity }, 'Issues are embedded again');
      },
    });
    if (issues > 0)
      log.info({ issues, ms: Math.round(performance.now() - started), embedder: embeddings.identity }, 'Issues were embedded');
  },
});

const logIntervalMs = 10_000;
