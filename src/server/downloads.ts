// The download addresses of release assets for people and programs, outside the API:
// `/{owner}/{repo}/releases/download/{tag}/{name}`, and `/{owner}/{repo}/releases/latest/download/{name}`.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import type { Repo } from '#access/viewer.ts';
import type { Database } from '#database/connect.ts';
import { fileReply } from '#endpoint/call.ts';
import { path } from '#endpoint/links.ts';
import type { Services } from '#endpoint/services.ts';
import { notFound, orNotFound } from '#lib/refusal.ts';
import { transferLimits } from '#objects/limits.ts';
import { draftOf, fileOf, findAssetNamed, findLatest, visibilityOf } from '#resources/collaboration/releases/index.ts';
import { admit } from './admit.ts';
import { admitDownload } from './admit-download.ts';
import { openRepository } from './git-access.ts';
import { linksFor } from './request-links.ts';
import { Moved } from './resolve.ts';
import { sendFile } from './send-file.ts';
import type { SignIn } from './sign-in.ts';

type Parts = { database: Database; services: Services; clock: () => Date; url?: string; signIn: SignIn };
type Download = { Params: { owner: string; repo: string; '*': string } };
type Request = FastifyRequest<Download>;

/** Adds these addresses. The API's rate limits don't count downloads. */
export function addDownloads(app: FastifyInstance, parts: Parts): void {
  app.get<Download>('/:owner/:repo/releases/download/*', (request, reply) => download(parts, request, reply));
  app.get<Download>('/:owner/:repo/releases/latest/download/*', (request, reply) => latest(parts, request, reply));
}

async function download(parts: Parts, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const found = await open(parts, request, reply);
  if (!found) return reply;
  const { db } = parts.database;
  const { repo, viewer, caller, release: endLookup } = found;
  const [, word = '', name = ''] = /^(.+)\/([^/]+)$/.exec(request.params['*']) ?? [];
  const draft = draftOf(word);
  const inDraft =
    draft !== undefined && visibilityOf(viewer, repo).drafts ? await findAssetNamed(db, repo.id, name, { draft }) : undefined;
  const asset = orNotFound(inDraft ?? (await findAssetNamed(db, repo.id, name, { tag: word })));
  const { headers } = fileReply(asset.name, fileOf(db, parts.services, asset));
  reply
    .headers(headers)
    .header('cache-control', repo.visibility === 'public' && !asset.draft ? 'public, no-cache' : 'private, no-cache');
  await sendFile({ request, reply }, fileOf(db, parts.services, asset), async () => {
    endLookup();
    const { limiters, resourceLimits } = parts.services;
    await admitDownload(limiters.transfers, caller, reply, resourceLimits.of(transferLimits));
  });
  return reply;
}

/** Redirects to the file of the latest release. */
async function latest(parts: Parts, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const found = await open(parts, request, reply);
  if (!found) return reply;
  const { tag_name } = orNotFound(await findLatest(parts.database.db, found.repo.id));
  return reply.redirect(addressOf(parts, request, found.repo, `download/${tag_name}/${request.params['*']}`), 302);
}

const addressOf = (parts: Parts, request: Request, { owner, name }: Repo, rest: string): string =>
  path(`${linksFor(parts, request).html}`, owner.login, name, 'releases', rest);

/** The repository of the address, if the viewer may read it. A former name is redirected, and the result is undefined. */
async function open(parts: Parts, request: Request, reply: FastifyReply) {
  const { viewer } = await parts.signIn(request, parts.clock());
  const caller = callerOf(viewer, request.ip);
  request.caller = caller;
  const release = await admit(parts.services.limiters.requests, caller, reply);
  const { owner, repo: name } = request.params;
  try {
    const { repo } = await openRepository({ db: parts.database.db, viewer, owner, name, service: 'git-upload-pack' });
    if (name.toLowerCase() === `${repo.name.toLowerCase()}.git`) throw notFound();
    return { repo, viewer, caller, release };
  } catch (error) {
    if (!(error instanceof Moved)) throw error;
    const rest = request.url.replace(/^\/[^/]+\/[^/]+\/releases\//, '');
    await reply.redirect(`${addressOf(parts, request, error.repo, '')}${rest}`, 301);
    return undefined;
  }
}
