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
import { issueKey, type Known, type Place } from '#text/render.ts';

const most = fixedValue(limitTable.texts.references);

/** A text, and the repository that references without one belong to. */
export type PlacedText = { readonly text: string; readonly place: Place | undefined };

/**
 * Whom and what texts refer to, as far as the viewer may know of it: all that their rendering links. It takes two statements for any
 * number of texts, which see so many distinct references in all as one text may have.
 */
export async function loadKnown({ db, links, viewer }: ViewerContext, texts: readonly PlacedText[]): Promise<Known> {
  const logins = new Set<string>();
  const issues = new Map<string, WantedIssue>();
  for (const { text, place } of texts) {
    const references = readText(text);
    for (const login of references.mentions) if (logins.size < most) logins.add(login);
    for (const { owner = place?.owner, repo = place?.repo, number } of references.issues) {
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

type WantedIssue = Place & { readonly number: number };

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
