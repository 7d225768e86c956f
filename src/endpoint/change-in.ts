// Scopes and changes of what isn't an endpoint: jobs, commands, routes outside of the API, and pushes.
import { everybody, type Viewer } from '#access/viewer.ts';
import { change, type Db } from '#database/connect.ts';
import { linksOf } from './links.ts';
import { openScope, type Scope, type WriteScope, writeScope } from './scope.ts';
import type { Services } from './services.ts';

/** The address in links where none is configured. Whoever stores such links replaces it when the address is known. */
export const unknownAddress = 'http://hearth.invalid';

type ScopeOrigin = {
  readonly db: Db;
  readonly services: Pick<Services, 'url' | 'ssh' | 'git'>;
  readonly now: Date;
  readonly viewer?: Viewer;
};

/** A scope for what no request to the API does: jobs, commands and pushes. Its links have the configured address. */
export function scopeWithoutRequest({ db, services, now, viewer = everybody }: ScopeOrigin): Scope {
  const links = linksOf(services.url ?? unknownAddress, services.ssh);
  return openScope({ db, links, viewer, now, git: services.git });
}

/** Runs `work` in one transaction with a scope of its own, for what isn't an endpoint or a job. */
export const changeIn = <T>(scope: Scope, work: (scope: WriteScope) => Promise<T>): Promise<T> =>
  change(scope.db, (tx) => work(writeScope(scope, tx)));

/** The same for what has no scope at all: commands and pushes. */
export const changeWithoutRequest = <T>(origin: ScopeOrigin, work: (scope: WriteScope) => Promise<T>): Promise<T> =>
  changeIn(scopeWithoutRequest(origin), work);
