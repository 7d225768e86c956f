// Scopes and changes of what isn't an endpoint: jobs, commands, routes outside of the API, and pushes.
import { everybody, type Viewer } from '#access/viewer.ts';
import { change, type Db } from '#database/connect.ts';
import { linksOf } from './links.ts';
import { recordingRefusals } from './recorded-refusal.ts';
import { openScope, type Scope, type Served, type WriteScope, writeScope } from './scope.ts';
import type { Services } from './services.ts';

/** The address in links where none is configured. Whoever stores such links replaces it when the address is known. */
export const unknownAddress = 'http://hearth.invalid';

type ScopeOrigin<Held> = {
  readonly db: Db;
  readonly services: Held;
  readonly now: Date;
  readonly viewer?: Viewer;
};

type LinkServices = Pick<Services, 'url' | 'ssh' | 'git'>;

/** A scope for what no request to the API does: jobs, commands and pushes. Its links have the configured address. */
export function scopeWithoutRequest<Held extends LinkServices>(origin: ScopeOrigin<Held>): Changing<Scope & { services: Held }> {
  const { db, services, now, viewer = everybody } = origin;
  const links = linksOf(services.url ?? unknownAddress, services.ssh);
  return changing(openScope({ db, links, viewer, now, git: services.git, services }));
}

/** A scope with a `change`, whose scope has the same services. */
type Changing<Given extends Scope> = Given & {
  readonly change: <T>(work: (scope: WriteScope & Served<Given>) => Promise<T>) => Promise<T>;
};

/** The scope with a `change`, which runs `work` in one transaction with a scope of its own. */
export const changing = <Given extends Scope>(scope: Given): Changing<Given> => ({
  ...scope,
  change: (work) => changeIn(scope, work),
});

/** Runs `work` in one transaction with a scope of its own, for what isn't an endpoint or a job. */
export const changeIn = <Given extends Scope, T>(
  scope: Given,
  work: (scope: WriteScope & Served<Given>) => Promise<T>,
): Promise<T> => recordingRefusals(scope, () => change(scope.db, (tx) => work(writeScope(scope, tx))));

/** The same for what has no scope at all: commands and pushes. */
export const changeWithoutRequest = <Held extends LinkServices, T>(
  origin: ScopeOrigin<Held>,
  work: (scope: WriteScope & { readonly services: Held }) => Promise<T>,
): Promise<T> => scopeWithoutRequest(origin).change(work);
