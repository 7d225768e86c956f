import { authenticate } from '#access/authenticate.ts';
import { mayRead } from '#access/authorize.ts';
import { findOrg, findRepo } from '#access/lookup.ts';
import type { Org, RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import type { Services } from '#endpoint/services.ts';
import { notFound, Refusal } from '#lib/refusal.ts';
import { explainRepositoryRules } from '#resources/code/repository-rules/index.ts';
import { describeViewer, type Explanation } from './explain.ts';
import { statusOf } from './refusals.ts';

/** `exists`: whether there is such a repository. Otherwise, its creation is explained. */
type RepositoryExplanation = Omit<Explanation, 'endpoint' | 'allowed'> & { exists: boolean };

type ExplainRepository = {
  db: Db;
  services: Pick<Services, 'git' | 'url' | 'ssh'>;
  authorization: string | undefined;
  owner: string;
  name: string;
  /** The visibility of a repository that doesn't exist. */
  visibility: RepositoryRow['visibility'];
  now: Date;
};

/** Owners administer new repositories of their organization. */
const roleIn = ({ role }: Org) => (role === 'owner' ? ('admin' as const) : undefined);

/** Lists what the rules of an organization about its repositories say of one, for the holder of a credential. Nothing changes. */
export async function explainRepository(given: ExplainRepository): Promise<RepositoryExplanation> {
  const { db, services, authorization, owner, name, visibility, now } = given;
  let viewer: Viewer | undefined;
  try {
    viewer = await authenticate(authorization, { db, now });
    const scope = scopeWithoutRequest({ db, services, now, viewer });
    const [repo, org] = await Promise.all([findRepo(db, viewer, owner, name), findOrg(db, viewer, owner)]);
    if (repo ? !mayRead(repo, viewer.grant) : !org) throw notFound();
    const explained = repo ? { owner: repo.owner, repo } : org && { owner: org, name, visibility, role: roleIn(org) };
    const rules = explained?.owner.kind === 'organization' ? await explainRepositoryRules(scope, viewer, explained) : [];
    const steps = rules.map(({ rule, passed, because }) => ({ check: rule, passed: passed ?? false, because }));
    return { viewer: describeViewer(viewer), steps, exists: repo !== undefined };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const who = viewer ? describeViewer(viewer) : { login: undefined, credential: 'none' };
    return { viewer: who, steps: [], exists: false, status: statusOf(error), message: error.message };
  }
}
