import { authorize, mayRead } from '#access/authorize.ts';
import { findRedirectedRepo, findRepo } from '#access/lookup.ts';
import type { Policy } from '#access/policy.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { rootWords } from '#endpoint/path-words.ts';
import { parseWord } from '#endpoint/validate.ts';
import type { Service } from '#git/transport/smart-http.ts';
import { forbidden, notFound, unauthenticated } from '#lib/refusal.ts';
import { Moved } from './resolve.ts';

/** The policies of Git's two services. */
const policies: Record<Service, Policy> = {
  'git-upload-pack': { permission: 'contents:read', scopes: ['repo'], public: true },
  'git-receive-pack': { permission: 'contents:write', scopes: ['repo'], role: 'write' },
};

type RepositoryRequest = { db: Db; viewer: Viewer; owner: string; name: string; service: Service };

/**
 * The repository of a Git URL, if the viewer may use the service. Without a credential, every refusal is 401, whether or not the
 * repository exists, so that private repositories can't be detected.
 * @throws Moved for a former name of the repository
 * @throws Refusal 401, 403 or 404
 */
export async function openRepository({ db, viewer, owner, name: nameInPath, service }: RepositoryRequest): Promise<Repo> {
  const name = nameInPath.replace(/\.git$/i, '');
  const isAnonymous = viewer.grant.kind === 'none';
  const notVisible = () => (isAnonymous ? unauthenticated() : notFound());
  if (parseWord(rootWords.owner, owner) === undefined || parseWord(rootWords.repo, name) === undefined) throw notVisible();
  const repo = await findRepo(db, viewer, owner, name);
  if (!repo) throw (await findMoved(db, viewer, owner, name)) ?? notVisible();
  const decision = authorize(policies[service], viewer, { repo }, { write: service === 'git-receive-pack' });
  if (decision.allowed) return repo;
  if (isAnonymous) throw unauthenticated();
  if (decision.refusal === 'forbidden') throw forbidden(`${repo.owner.login}/${repo.name}: ${decision.message}`);
  throw decision.refusal === 'not_found' ? notFound() : unauthenticated(decision.message);
}

async function findMoved(db: Db, viewer: Viewer, owner: string, name: string): Promise<Moved | undefined> {
  const repo = await findRedirectedRepo(db, viewer, owner, name);
  return repo && mayRead(repo, viewer.grant) ? new Moved(repo) : undefined;
}
