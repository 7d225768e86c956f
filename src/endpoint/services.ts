import type { GitStore } from '#git/store.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

/** What the process holds once and hands to every call. */
export type Services = {
  readonly git: GitStore;
  readonly vocabulary: Vocabulary;
  readonly limits: Limits;
  readonly version: string;
};

/** Requests that a bucket allows in its window (document 1, Limits); `enabled` false counts nothing. */
export type Limits = {
  readonly enabled: boolean;
  readonly core: number;
  readonly coreAnonymous: number;
  readonly search: number;
  readonly searchAnonymous: number;
  readonly codeSearch: number;
  readonly semanticSearch: number;
};
