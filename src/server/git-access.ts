import { authorize, type CheckResult, mayRead } from '#access/authorize.ts';
import { findRedirectedRepo, findRepo } from '#access/lookup.ts';
import type { Policy } from '#access/policy.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { rootWords } from '#endpoint/path-words.ts';
import { parseWord } from '#endpoint/validate.ts';
import { branchOf } from '#git/refs/ref-name.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import type { Service } from '#git/transport/smart-http.ts';
import { forbidden, notFound, unauthenticated } from '#lib/refusal.ts';
import { findModifiable, mayModifySome } from '#resources/code/pushes/index.ts';
import { Moved } from './resolve.ts';

/** The policies of Git's two services. */
const policies: Record<Service, Policy> = {
  'git-upload-pack': { permission: 'contents:read', scopes: ['repo'], public: true },
  'git-receive-pack': { permission: 'contents:write', scopes: ['repo'], role: 'write' },
};

type RepositoryRequest = {
  db: Db;
  viewer: Viewer;
  owner: string;
  name: string;
  service: Service;
  /** Gets the result of each check. */
  trace?: CheckResult[];
};

/** An opened repository. `modifies`: the push may only move branches of pull requests that allow modification. */
export type Opened = { repo: Repo; modifies: boolean };

/**
 * The repository of a Git URL, if the viewer may use the service. Without a credential, every refusal is 401, whether or not the
 * repository exists, so that private repositories can't be detected.
 * @throws Moved for a former name of the repository
 * @throws Refusal 401, 403 or 404
 */
export async function openRepository({
  db,
  viewer,
  owner,
  name: nameInPath,
  service,
  trace,
}: RepositoryRequest): Promise<Opened> {
  const name = nameInPath.replace(/\.git$/i, '');
  const isAnonymous = viewer.grant.kind === 'none';
  const notVisible = () => (isAnonymous ? unauthenticated() : notFound());
  if (parseWord(rootWords.owner, owner) === undefined || parseWord(rootWords.repo, name) === undefined) throw notVisible();
  const repo = await findRepo(db, viewer, owner, name);
  if (!repo) throw (await findMoved(db, viewer, owner, name)) ?? notVisible();
  const decision = authorize(policies[service], viewer, { repo }, { write: service === 'git-receive-pack' }, trace);
  if (decision.allowed) return { repo, modifies: false };
  if (isAnonymous) throw unauthenticated();
  const isRefusedPush = service === 'git-receive-pack' && decision.refusal === 'forbidden';
  if (isRefusedPush && (await mayModifySome(db, viewer, repo))) return { repo, modifies: true };
  if (decision.refusal === 'forbidden') throw forbidden(`${repo.owner.login}/${repo.name}: ${decision.message}`);
  throw decision.refusal === 'not_found' ? notFound() : unauthenticated(decision.message);
}

/**
 * The commands of a push that the viewer may not use, if the viewer may only move branches of pull requests that allow
 * modification.
 */
export async function refuseUnmodifiable(
  db: Db,
  viewer: Viewer,
  fork: Repo,
  commands: readonly PushCommand[],
): Promise<ReadonlyMap<string, string>> {
  const branches = commands.flatMap(({ ref }) => branchOf(ref) ?? []);
  const modifiable = await findModifiable(db, viewer, fork, branches);
  const refused = commands.filter(({ ref, from, to }) => from === null || to === null || !modifiable.has(branchOf(ref) ?? ''));
  return new Map(refused.map(({ ref }) => [ref, 'you may only move branches of open pull requests that you may modify']));
}

async function findMoved(db: Db, viewer: Viewer, owner: string, name: string): Promise<Moved | undefined> {
  const repo = await findRedirectedRepo(db, viewer, owner, name);
  return repo && mayRead(repo, viewer.grant) ? new Moved(repo) : undefined;
}
