import { type NamedRepository, path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { commitLink, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { loadAssociations, presentTexts } from '#resources/collaboration/issues/index.ts';
import { presentRollup } from '#resources/collaboration/reactions/index.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { CommitComment } from './schemas.ts';
import type { CommitCommentRow } from './store.ts';

type RepositoryOfComments = NamedRepository & { id: Id<'repositories'>; owner_id: Id<'accounts'> };

/** Comments of a whole page, all of one repository. */
export async function presentComments(
  scope: Scope,
  repository: RepositoryOfComments,
  rows: readonly CommitCommentRow[],
): Promise<CommitComment[]> {
  const { db, links, viewer } = scope;
  const authored = gather(rows, 'author_id').flatMap((author) =>
    author === null ? [] : [{ repository: repository.id, author }],
  );
  const [accounts, associationOf] = await Promise.all([
    loadAccounts(db, gather(rows, 'author_id'), viewer.account),
    loadAssociations(scope, authored),
  ]);
  const name = { owner: repository.owner.login, repo: repository.name };
  const texts = await presentTexts(
    scope,
    rows.map(({ body }) => ({ text: body, repository: name })),
  );
  const urls = repositoryUrlsOf(links, repository);
  return rows.map((row, at) => {
    const url = path(`${urls.url}/comments`, row.id);
    return {
      id: row.id,
      node_id: nodeId('CommitComment', row.id),
      url,
      html_url: `${commitLink(urls, row.commit_sha).html_url}#commitcomment-${row.id}`,
      commit_id: row.commit_sha,
      path: row.path,
      position: row.position,
      line: row.line,
      ...texts[at],
      user: presentUserOrNull(links, getOptional(accounts, row.author_id)),
      author_association: associationOf(row),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      reactions: presentRollup(url, row.reactions),
    };
  });
}

export const presentComment = async (
  scope: Scope,
  repository: RepositoryOfComments,
  row: CommitCommentRow,
): Promise<CommitComment> => firstOrNotFound(await presentComments(scope, repository, [row]));
