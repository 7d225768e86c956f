import type { Limits } from '#access/rate-limits.ts';
import type { GitStore } from '#git/repo.ts';
import type { Limiters } from '#lib/limiters.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { Outbound } from '#net/outbound.ts';
import type { Runners } from '#runner-providers/open.ts';
import type { Embeddings } from '#search/embeddings/index.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import type { WebhookSettings } from '#webhook-delivery/settings.ts';

/** What the process holds once and hands to every call. */
export type Services = {
  readonly git: GitStore;
  readonly vocabulary: Vocabulary;
  readonly limits: Limits;
  /** Bounds on what a caller may take; see `lib/limits.ts`. */
  readonly resourceLimits: ResourceLimits;
  readonly limiters: Limiters;
  /** Seals what is stored of secrets, and opens it again. */
  readonly secrets: Secrets;
  readonly version: string;
  /** Milliseconds that a search may take before it gives what it has found (document 1, rule 7). */
  readonly searchBudget: number;
  /** Semantic search over issues; undefined where it is turned off. */
  readonly embeddings: Embeddings | undefined;
  /** The only way out to HTTP. */
  readonly outbound: Outbound;
  readonly webhooks: WebhookSettings;
  /** What hosted runners are made of. */
  readonly runners: Runners;
  /** Where people reach the server, where that is configured; else each request's own address is taken. */
  readonly url: string | undefined;
};
