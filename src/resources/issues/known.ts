import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { readableRepositoryIds } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { ViewerContext } from '#endpoint/context.ts';
import { path } from '#endpoint/links.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { findUsersByLogin } from '#resources/accounts/index.ts';
import { readText } from '#text/read.ts';
import { issueKey, type Known, type RepositoryName } from '#text/render.ts';

const most = fixedValue(limitTable.texts.references);

/** A text with its repository, to which references such as `#12` belong. */
export type TextInRepository = { readonly text: string; readonly repository: RepositoryName | undefined };

/**
 * The accounts and issues that texts refer to and that the viewer may read: what their rendering links. It takes two statements for any
 * number of texts, which share the limit on references of one text.
 */
export async function loadKnown({ db, links, viewer }: ViewerContext, texts: readonly TextInRepository[]): Promise<Known> {
  const logins = new Set<string>();
  const issues = new Map<string, WantedIssue>();
  for (const { text, repository } of texts) {
    const references = readText(text);
    for (const login of references.mentions) if (logins.size < most) logins.add(login);
    for (const { owner = repository?.owner, repo = repository?.repo, number } of references.issues) {
      if (owner === undefined || repo === undefined || issues.size >= most) continue;
      issues.set(issueKey({ owner, repo }, number), { owner: owner.toLowerCase(), repo: repo.toLowerCase(), number });
    }
    await nextTurn();
  }
  const [users, found] = await Promise.all([
    logins.size === 0 ? [] : findUsersByLogin(db, [...logins]),
    issues.size === 0 ? [] : findReadableIssues(db, viewer, [...issues.values()]),
  ]);
  return {
    logins: new Map(users.map(({ login }) => [login.toLowerCase(), login])),
    issues: new Map(
      found.map(({ owner, repo, number }) => [
        issueKey({ owner, repo }, number),
        path(links.html, owner, repo, 'issues', number),
      ]),
    ),
  };
}

type WantedIssue = RepositoryName & { readonly number: number };

/** Those of some issues that there are and that the viewer may read. Names that are asked for are in lower case. */
async function findReadableIssues(db: Db, viewer: Viewer, wanted: readonly WantedIssue[]): Promise<WantedIssue[]> {
  const column = <Key extends keyof WantedIssue>(key: Key): RawBuilder<unknown> => sql`${wanted.map((issue) => issue[key])}`;
  const { rows } = await sql<WantedIssue>`
    select o.login as owner, r.name as repo, i.number
    from unnest(${column('owner')}::text[], ${column('repo')}::text[], ${column('number')}::int[]) as w (owner, repo, number)
    join accounts o on lower(o.login) = w.owner
    join repositories r on r.owner_id = o.id and lower(r.name) = w.repo
    join issues i on i.repository_id = r.id and i.number = w.number
    where r.has_issues and r.id in ${readableRepositoryIds(viewer, 'issues')}`.execute(db);
  return rows;
}
