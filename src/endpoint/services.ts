import type { Limits } from '#access/rate-limits.ts';
import type { GitStore } from '#git/repo.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { SshKey } from '#lib/ssh-key.ts';
import type { RecordLookup } from '#net/dns-records.ts';
import type { Outbound } from '#net/outbound.ts';
import type { ObjectStore } from '#objects/store.ts';
import type { Runners } from '#runner-providers/open.ts';
import type { Embeddings } from '#search/embeddings/index.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import type { WebhookSettings } from '#webhook-delivery/settings.ts';
import type { Explainer } from './explainer.ts';
import type { Limiters } from './limiters.ts';
import type { SshAddress } from './links.ts';
import type { PagesAddress } from './pages-address.ts';

/** The settings of families. Each adds its own to this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: families add to it
export interface FamilySettings {}

/** The services of families. Each adds its own to this interface, and makes them by `services` in its manifest. */
// biome-ignore lint/suspicious/noEmptyInterface: families add to it
export interface FamilyServices {}

/** The objects that exist once in a process. Every call has them. */
export interface Services extends CoreServices, FamilyServices {}

/** Those of no family. */
export interface CoreServices {
  readonly git: GitStore;
  /** The folder of the archives of migrations. */
  readonly migrations: string;
  /** Large files: those of releases and of jobs. */
  readonly objects: ObjectStore;
  readonly vocabulary: Vocabulary;
  readonly limits: Limits;
  /** The limits in force; see `lib/limits.ts`. */
  readonly resourceLimits: ResourceLimits;
  readonly limiters: Limiters;
  /** Encrypts and decrypts stored secrets. */
  readonly secrets: Secrets;
  readonly version: string;
  /** Since when the server is there: what is silent may have had nobody to speak to before. */
  readonly openedAt: Date;
  /** Milliseconds after which a search returns incomplete results (document 1, rule 7). */
  readonly searchBudget: number;
  /** Semantic search over issues; undefined where it is turned off. */
  readonly embeddings: Embeddings | undefined;
  /** The HTTP client. */
  readonly outbound: Outbound;
  /** The HTTP client for servers that the administrator has named, which may have private addresses. */
  readonly ownServers: Outbound;
  /** What DNS says of a name. */
  readonly lookUpRecords: RecordLookup;
  readonly webhooks: WebhookSettings;
  /** The provider and the catalogue of hosted runners. */
  readonly runners: Runners;
  /** Explains decisions about access. */
  readonly explainer: Explainer;
  /** The configured address of the server; undefined where links use the host of each request. */
  readonly url: string | undefined;
  /** Git over SSH: its address, and the public keys by which the server is known. Undefined where it isn't offered. */
  readonly ssh: (SshAddress & { readonly hostKeys: readonly SshKey[] }) | undefined;
  /** Whether search engines may list pages that everybody may read. */
  readonly isIndexed: boolean;
  /** Where websites of repositories are served. Undefined where they aren't. */
  readonly pages: PagesAddress | undefined;
}
