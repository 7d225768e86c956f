import type { Limits } from '#access/rate-limits.ts';
import type { GitStore } from '#git/repo.ts';
import type { AssistantProvider } from '#lib/assistant.ts';
import type { KnownClient } from '#lib/known-clients.ts';
import type { Limiters } from '#lib/limiters.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import type { Prices } from '#lib/prices.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { SshKey } from '#lib/ssh-key.ts';
import type { RecordLookup } from '#net/dns-records.ts';
import type { Outbound } from '#net/outbound.ts';
import type { ObjectStore } from '#objects/store.ts';
import type { Runners } from '#runner-providers/open.ts';
import type { Embeddings } from '#search/embeddings/index.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import type { WebhookSettings } from '#webhook-delivery/settings.ts';
import type { SshAddress } from './links.ts';
import type { PagesAddress } from './pages-address.ts';

/** The objects that exist once in a process. Every call has them. A family declares here what it needs from others. */
export interface Services {
  readonly git: GitStore;
  /** The folder of the archives of migrations. */
  readonly migrations: string;
  /** Large files of releases and jobs. */
  readonly objects: ObjectStore;
  readonly vocabulary: Vocabulary;
  readonly limits: Limits;
  /** See `lib/limits.ts`. */
  readonly resourceLimits: ResourceLimits;
  readonly limiters: Limiters;
  /** Encrypts and decrypts stored secrets. */
  readonly secrets: Secrets;
  readonly version: string;
  /** When the server started. A silent client may not have been able to reach it before. */
  readonly openedAt: Date;
  /** Milliseconds after which a search returns incomplete results (document 1, rule 7). */
  readonly searchBudget: number;
  /** Semantic search over issues; undefined if it is turned off. */
  readonly embeddings: Embeddings | undefined;
  /** The HTTP client. */
  readonly outbound: Outbound;
  /** The HTTP client for servers that the administrator configured, which may have private addresses. */
  readonly ownServers: Outbound;
  /** Looks up DNS records of a name. */
  readonly lookUpRecords: RecordLookup;
  readonly webhooks: WebhookSettings;
  /** The provider and the catalogue of hosted runners. */
  readonly runners: Runners;
  /** The source of workflow actions that no repository of this server holds; undefined if there is none. */
  readonly actionsOrigin: string | undefined;
  /** Programs with built-in client ids that people may use to sign in. */
  readonly knownClients: readonly KnownClient[];
  /** The attached assistant, which reports its usage. */
  readonly assistant: AssistantProvider;
  /** The prices of metered usage. */
  readonly prices: Prices;
  /** The configured address of the server; undefined if links use the host of each request. */
  readonly url: string | undefined;
  /** Git over SSH: its address, and the server's public keys. Undefined if it is disabled. */
  readonly ssh: (SshAddress & { readonly hostKeys: readonly SshKey[] }) | undefined;
  /** The folder of OSV files about vulnerable packages. Undefined if the operator configures none. */
  readonly advisories: string | undefined;
  /** The address of repositories' websites. Undefined if they aren't served. */
  readonly pages: PagesAddress | undefined;
}
