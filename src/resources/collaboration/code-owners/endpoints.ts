// The problems of a repository's file of code owners.
import { Type } from 'typebox';
import { authorize } from '#access/authorize.ts';
import { readsContents } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { openObjects } from '#git/objects/objects.ts';
import { repoOf } from '#git/store.ts';
import { orNotFound } from '#lib/refusal.ts';
import { resolveCommit } from '#resources/code/contents/index.ts';
import { errorsOf } from './errors.ts';
import { findCodeOwners } from './find.ts';
import { CodeOwnersErrors } from './schemas.ts';

const { public: _, ...reads } = readsContents;
/**
 * Only users with write access see which owners lack it. Others could learn who owns an address, or who is in an organization.
 */
const seesOwners: Policy = { ...reads, role: 'write' };

export const listCodeOwnersErrors = endpoint({
  id: 'repos/codeowners-errors',
  method: 'GET',
  path: '/repos/{owner}/{repo}/codeowners/errors',
  summary: 'List CODEOWNERS errors',
  access: readsContents,
  query: Type.Object({ ref: Type.Optional(Type.String({ maxLength: 1024 })) }),
  replies: { 200: CodeOwnersErrors },
  async handle({ db, at, viewer, query, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const { commit } = await resolveCommit(gitRepository, query.ref, at.repo.default_branch);
    await using reader = await openObjects(gitRepository);
    const file = orNotFound(await findCodeOwners(reader, commit));
    const { allowed } = authorize(seesOwners, viewer, at, { write: false });
    return errorsOf(db, at.repo, file, allowed ? new URL(links.html).hostname : undefined);
  },
});
