// Pull requests of a repository: open, list, read and change them.
import { Type } from 'typebox';
import { changesPulls, opensPulls, readsPulls } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { raw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { openDiff, openPatches } from '#git/history/patch-text.ts';
import { repoOf } from '#git/store.ts';
import { invalid } from '#lib/refusal.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import { prepareReopening, textMedia } from '#resources/collaboration/issues/index.ts';
import { pull } from '../path-resources.ts';
import { presentFullPull, presentPulls } from '../present.ts';
import { writeHeadRef } from '../refs.ts';
import { changePull, openPull, prepareBase, prepareEnds } from '../rules.ts';
import { FullPullRequest, NewPullRequest, PullRequest, PullRequestChange } from '../schemas.ts';
import { listPulls, type PullFilter } from '../store.ts';
import { testingOf } from '../test-merges.ts';

const PullQuery = Type.Object({
  state: withDefault(OneOf(['open', 'closed', 'all']), 'open'),
  head: Type.Optional(Type.String({ maxLength: 1_124 })),
  base: Type.Optional(Type.String({ maxLength: 1_024 })),
  sort: withDefault(OneOf(['created', 'updated', 'popularity', 'long-running']), 'created'),
  direction: Type.Optional(OneOf(['asc', 'desc'])),
});

/** `head` is `owner:branch`, or an owner alone. As in the public API, a branch without an owner doesn't filter. */
function headOf(head: string | undefined): PullFilter['head'] {
  if (head === undefined || !head.includes(':')) return undefined;
  const at = head.indexOf(':');
  const ref = head.slice(at + 1);
  return { owner: head.slice(0, at), ...(ref === '' ? {} : { ref }) };
}

export const listRepoPulls = endpoint({
  id: 'pulls/list',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls',
  summary: 'List pull requests',
  access: readsPulls,
  query: PullQuery,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(PullRequest) },
  async handle({ scope, db, at, query, page, now }) {
    const { state, head, base, sort } = query;
    // As in the public API, the default direction is descending only when the list is sorted by creation.
    const direction = query.direction ?? (sort === 'created' ? 'desc' : 'asc');
    const found = await listPulls(db, at.repo.id, { state, head: headOf(head), base }, { sort, direction }, { page, now });
    return mapRows(found, (rows) => presentPulls(scope, rows));
  },
});

export const createPull = endpoint({
  id: 'pulls/create',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pulls',
  summary: 'Create a pull request',
  access: opensPulls,
  body: NewPullRequest,
  example: {
    title: 'A quieter engine',
    head: 'quieter',
    base: 'main',
    body: 'Closes #1.',
    draft: false,
    maintainer_can_modify: true,
  },
  media: textMedia,
  replies: { 201: FullPullRequest },
  async handle({ scope, change, at, body, action, links, services: { git } }) {
    if (body.title === undefined && body.issue === undefined) throw invalid('PullRequest', 'title', 'missing_field');
    const ends = await prepareEnds(scope, action, body);
    const row = await change((scope) => openPull(scope, { ...action, html: links.html }, ends, body));
    await writeHeadRef(repoOf(git, at.repo.id), row);
    return presentFullPull(scope, row, await testingOf(scope, at.repo, row));
  },
});

export const getPull = endpoint({
  id: 'pulls/get',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}',
  resources: [pull],
  summary: 'Get a pull request',
  access: readsPulls,
  media: [...textMedia, 'diff', 'patch'],
  replies: { 200: FullPullRequest },
  async handle({ scope, at, media, services: { git } }) {
    const { merge_base_sha: from, head_sha: to } = at.pull;
    if (media === 'diff' || media === 'patch') {
      const gitRepository = repoOf(git, at.repo.id);
      const text = media === 'diff' ? openDiff(gitRepository, { from, to }) : openPatches(gitRepository, { without: from, to });
      return raw(`application/vnd.service.${media}; charset=utf-8`, await text);
    }
    const testing = await testingOf(scope, at.repo, at.pull);
    return presentFullPull(scope, at.pull, testing);
  },
});

export const updatePull = endpoint({
  id: 'pulls/update',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}',
  resources: [pull],
  summary: 'Update a pull request',
  access: changesPulls,
  body: Type.Union([PullRequestChange, Type.Null()], { title: 'PullRequest' }),
  example: { title: 'A quieter engine', state: 'open', base: 'main' },
  media: textMedia,
  replies: { 200: FullPullRequest },
  async handle({ scope, change, at, body, action, links }) {
    const wanted = body ?? {};
    const [base] = await Promise.all([
      prepareBase(scope, at.repo, at.pull, wanted.base),
      prepareReopening(scope, at.pull, wanted.state),
    ]);
    const row = await change((scope, { pull }) => changePull(scope, { ...action, html: links.html }, pull, wanted, base));
    return presentFullPull(scope, row, await testingOf(scope, at.repo, row));
  },
});
