// Deployments: websites that workflows upload as artifacts. A job's identity token proves which run it belongs to.

import type { RepositoryAction } from '#access/action.ts';
import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import type { Needs, Scope, WriteScope } from '#endpoint/scope.ts';
import { asId, type Id } from '#lib/id.ts';
import { badRequest, invalid, notFound, unprocessable } from '#lib/refusal.ts';
import { findArtifact, isExpired, type WholeArtifact } from '#resources/actions/artifacts/index.ts';
import { findEnvironment } from '#resources/actions/environments/index.ts';
import { issuerOf, listVerifyingKeys } from '#resources/actions/identity-tokens/index.ts';
import { enqueueBuilds } from './queue.ts';
import type { NewPageDeployment } from './schemas.ts';
import { type BuildRow, findSite, insertDeployment, updateBuild } from './store.ts';

/**
 * The artifact of a deployment, which must belong to the run of the requesting job.
 * @throws Refusal 400 for a token that doesn't belong to a job of this repository, 404 if the repository has no such artifact or
 * website, 422 if workflows don't deploy the website, or the job has another environment
 */
export async function findDeployedArtifact(
  scope: Scope & Needs<'secrets'>,
  { repo }: Pick<RepositoryAction, 'repo'>,
  wanted: NewPageDeployment,
): Promise<WholeArtifact> {
  const { db, now } = scope;
  const site = await findSite(db, repo.id);
  if (!site) throw notFound();
  if (site.build_type !== 'workflow') throw unprocessable('The website is built from a branch: set its build_type to workflow.');
  const claims = await readClaims(scope, repo, wanted.oidc_token);
  if (wanted.environment !== undefined && claims.environment !== undefined && wanted.environment !== claims.environment)
    throw invalid('PageDeployment', 'environment', 'invalid', 'environment is not that of the job');
  await checkEnvironment(db, repo, claims);
  const artifact = await findArtifact(db, idOfArtifact(scope.links, repo, wanted));
  if (artifact?.repository_id !== repo.id || String(artifact.run_id) !== claims.run_id || isExpired(artifact, now))
    throw notFound();
  return artifact;
}

/** The environment of websites (the public API's name). If a repository has it, its rules apply to deployments of the website. */
const ofWebsites = 'github-pages';

/** Refuses jobs outside the environment of websites, whatever environment the request names. */
async function checkEnvironment(db: Db, repo: RepositoryAction['repo'], { environment }: Claims): Promise<void> {
  if (String(environment ?? '').toLowerCase() === ofWebsites || !(await findEnvironment(db, repo.id, ofWebsites))) return;
  throw invalid('PageDeployment', 'environment', 'invalid', `The job must be in the environment ${ofWebsites} of the repository`);
}

type Claims = { repository_id?: unknown; run_id?: unknown; environment?: unknown };

/** The claims of a token about its job, which must belong to this repository. */
async function readClaims(
  { db, links, now, services }: Scope & Needs<'secrets'>,
  repo: RepositoryAction['repo'],
  token: string,
): Promise<Claims> {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  const keys = createLocalJWKSet({ keys: await listVerifyingKeys({ db }, { secrets: services.secrets, now }) });
  const wanted = { issuer: issuerOf(links), audience: `${links.html}/${repo.owner.login}`, currentDate: now };
  try {
    const { payload } = await jwtVerify<Claims>(token, keys, wanted);
    if (payload.repository_id === String(repo.id)) return payload;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
  }
  throw badRequest('oidc_token is not a token of a job of this repository');
}

function idOfArtifact(links: Links, { owner, name }: RepositoryAction['repo'], wanted: NewPageDeployment): Id<'artifacts'> {
  const { artifact_id, artifact_url } = wanted;
  if (artifact_id !== undefined) return asId(artifact_id);
  if (artifact_url === undefined) throw invalid('PageDeployment', 'artifact_id', 'missing_field');
  const base = `${links.api}/repos/${owner.login}/${name}/actions/artifacts/`.toLowerCase();
  const rest = artifact_url.toLowerCase().startsWith(base) ? artifact_url.slice(base.length) : '';
  const [, id] = /^(\d{1,15})(?:\/zip)?$/.exec(rest) ?? [];
  if (id === undefined)
    throw invalid('PageDeployment', 'artifact_url', 'invalid', 'artifact_url must name an artifact of this repository');
  return asId(Number(id));
}

/** Queues a deployment. The current website stays until the whole artifact has been validated. */
export async function createDeployment(
  scope: WriteScope,
  { repo, by, now }: RepositoryAction,
  artifact: WholeArtifact,
  version: string,
): Promise<BuildRow> {
  const row = await insertDeployment(scope.tx, {
    repository_id: repo.id,
    artifact_id: artifact.id,
    commit_sha: version,
    pusher_id: by.account?.id ?? null,
    created_at: now,
    updated_at: now,
  });
  await enqueueBuilds(scope.tx, [row]);
  return row;
}

/** Cancels a deployment. @throws Refusal 422 if it has ended */
export async function cancelDeployment(scope: WriteScope, { now }: RepositoryAction, { id, status }: BuildRow): Promise<void> {
  if (status !== 'queued' && status !== 'building') throw unprocessable('The deployment has ended.');
  await updateBuild(scope.tx, id, { status: 'cancelled', updated_at: now });
}
