// Actions, which runners read by Git: from repositories of this server that a job may use, and from the configured origin.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { isToken, type Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, storeFor } from '#git/store.ts';
import { advertiseRefs, uploadPack } from '#git/transport/smart-http.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, Refusal, unauthenticated } from '#lib/refusal.ts';
import { transferLimits } from '#objects/limits.ts';
import { actionsPath, findSharedActions } from '#resources/actions/workflow-runs/index.ts';
import { workflowLimits } from '#resources/actions/workflows/index.ts';
import { askOrigin, isName, type OriginName, type OriginRequest } from './actions-origin.ts';
import { openRepository } from './git-access.ts';
import { type GitHttpParts, type GitHttpRequest, type GitHttpRoute, optionsOf, refuse, signedIn, uncached } from './git-http.ts';
import { type BodyReader, sendContinue } from './read-body.ts';
import { measureReading } from './reading-rate.ts';
import { linksFor } from './request-links.ts';
import { Moved } from './resolve.ts';

type Parts = GitHttpParts & { bodies: BodyReader };
type Request = GitHttpRequest;

/** Actions are read, and never pushed to. */
const service = 'git-upload-pack';

/**
 * Git's smart HTTP below the address that runners use for all actions, including actions that other actions use. Each request is
 * first looked up on this server, for the caller, and then at the origin, without the caller's identity.
 */
export function addGitActions(app: FastifyInstance, parts: Parts): void {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => refuse(parts, error, request as Request, reply)); // of these routes alone
    scope.get<GitHttpRoute>(`${actionsPath}/:owner/:repo/info/refs`, { exposeHeadRoute: false }, (request, reply) =>
      sendRefs(parts, request, reply),
    );
    scope.post<GitHttpRoute>(`${actionsPath}/:owner/:repo/${service}`, (request, reply) => sendObjects(parts, request, reply));
  });
}

async function sendRefs(parts: Parts, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  if (request.query.service !== service) throw forbidden('Actions are read here, by the smart HTTP protocol of Git');
  const { here, ...asked } = await open(parts, request);
  const options = optionsOf(parts, request, reply);
  uncached(reply).type(`application/x-${service}-advertisement`);
  if (here) return reply.send(await advertiseRefs(here, service, options));
  const reading = measureReading(reply, parts.services.resourceLimits.of(transferLimits));
  const answer = await askOrigin(parts, { ...asked, ...options, reading });
  if (!answer) throw asked.absent;
  return 'moved' in answer ? redirect(parts, answer.moved, request, reply) : reply.send(answer.stream);
}

async function sendObjects(parts: Parts, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  if (request.headers['content-type'] !== `application/x-${service}-request`)
    throw new Refusal('unsupported_media', `The body must be application/x-${service}-request`);
  const { here, ...asked } = await open(parts, request);
  const options = optionsOf(parts, request, reply);
  uncached(reply).type(`application/x-${service}-result`);
  if (here) {
    sendContinue({ request, reply });
    return reply.send(await uploadPack(here, request.raw, options));
  }
  const { originRequest } = parts.services.resourceLimits.of(workflowLimits);
  const most = { bytes: originRequest, name: 'workflows.originRequest' };
  const bytes = await parts.bodies.bytes({ request, reply }, most, asked.caller);
  const reading = measureReading(reply, parts.services.resourceLimits.of(transferLimits));
  const answer = await askOrigin(parts, { ...asked, ...options, reading, wants: { bytes, gzip: options.gzip } });
  if (!answer || 'moved' in answer) throw asked.absent;
  return reply.send(answer.stream);
}

/** The location of an action: `here`, or else possibly the origin. */
type ActionSource = Pick<OriginRequest, keyof OriginName | 'caller'> & {
  readonly here: GitRepository | undefined;
  readonly absent: Refusal;
};

/** @throws Refusal 401, 403 or 404 if the caller may not read it, and it can't be at the origin either */
async function open(parts: Parts, request: Request): Promise<ActionSource> {
  const { viewer, caller } = await signedIn(parts, request);
  const { owner, repo } = request.params;
  const absent = absentFor(viewer);
  if (!isName(owner) || !isName(repo)) throw absent;
  const id = await findHere(parts.database.db, viewer, { owner, repo });
  if (id === undefined && parts.services.actionsOrigin === undefined) throw absent;
  return { owner, repo, caller, absent, here: id && repoOf(storeFor(parts.services.git, caller), id) };
}

/** Without a credential the reply is 401, since Git sends one only then. It doesn't disclose whether the repository exists. */
const absentFor = ({ grant }: Viewer): Refusal => {
  const message = 'Neither this server nor an origin of actions has such a repository';
  return grant.kind === 'none'
    ? unauthenticated(`${message} for everybody, and the request has no token`)
    : new Refusal('not_found', `${message} that this token may read`);
};

/** The repository of this server that the viewer may read, or that shares its actions with the viewer's job. */
async function findHere(db: Db, viewer: Viewer, { owner, repo }: OriginName): Promise<Id<'repositories'> | undefined> {
  const found = await findReadable(db, viewer, { owner, repo });
  const { grant } = viewer;
  if (found !== undefined || !isToken(grant) || grant.kind !== 'installation') return found;
  return (await findSharedActions(db, grant.tokenId, `${owner}/${repo.replace(/\.git$/i, '')}`))?.id;
}

async function findReadable(db: Db, viewer: Viewer, { owner, repo }: OriginName): Promise<Id<'repositories'> | undefined> {
  try {
    return (await openRepository({ db, viewer, owner, name: repo, service })).repo.id;
  } catch (error) {
    if (error instanceof Moved) return findReadable(db, viewer, { owner: error.repo.owner.login, repo: error.repo.name });
    const isHidden = error instanceof Refusal && error.kind === (viewer.grant.kind === 'none' ? 'unauthenticated' : 'not_found');
    if (!isHidden) throw error;
    return undefined;
  }
}

/** Redirects to the origin's current name, at this server's address. */
function redirect(parts: Parts, { owner, repo }: OriginName, request: Request, reply: FastifyReply): FastifyReply {
  const url = `${linksFor(parts, request).html}${actionsPath}/${owner}/${repo}/info/refs?service=${service}`;
  return reply.code(301).header('location', url).removeHeader('content-type').send();
}
