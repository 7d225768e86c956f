import { sql } from 'kysely';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Client } from '#test/support/client.ts';
import type { World } from '#test/support/world.ts';

type Repo = RepositoryRow & { owner: Account };

export type Stage = {
  readonly repo: Repo;
  /** The address of the repository in the API. */
  readonly base: string;
  /** Opens an issue as somebody, and gives its address. */
  open(by: Account, wanted?: Record<string, unknown>): Promise<string>;
  comment(by: Account, issue: string, body?: string): Promise<{ id: number; url: string }>;
};

/** A repository whose owner watches it. */
export async function makeStage(w: World, owner: Account, visibility: RepositoryRow['visibility'] = 'public'): Promise<Stage> {
  const repo = await w.repo(owner, { visibility, by: owner });
  const base = `/repos/${owner.login}/${repo.name}`;
  await w.settle();
  return {
    repo,
    base,
    async open(by, wanted = {}) {
      const { body } = await (await w.as(by)).post(`${base}/issues`, { title: 'The pump leaks', ...wanted });
      await noteMentions(w, body.id);
      await w.settle();
      return `${base}/issues/${body.number}`;
    },
    async comment(by, issue, body = 'It does so here as well.') {
      const { body: made } = await (await w.as(by)).post(`${issue}/comments`, { body });
      const { issue_id } = await w.db
        .selectFrom('issue_comments')
        .select('issue_id')
        .where('id', '=', made.id)
        .executeTakeFirstOrThrow();
      await noteMentions(w, issue_id, made.id);
      await w.settle();
      return made;
    },
  };
}

/** The rows that a text's mentions of people and teams leave (`@ada`, `@acme/crew`), where they aren't there. */
export async function noteMentions(w: World, issue: number, comment: number | null = null): Promise<void> {
  await sql`
    with texts as (
      select i.repository_id, i.id as issue_id, null::bigint as comment_id, coalesce(i.body, '') as body from issues i
      where i.id = ${issue} and ${comment}::bigint is null
      union all select c.repository_id, c.issue_id, c.id, c.body from issue_comments c where c.id = ${comment}
    ), meant as (
      select t.repository_id, t.issue_id, t.comment_id, 'mention' as kind, a.id as account_id, null::bigint as team_id
      from texts t join accounts a on a.kind = 'user' and t.body ~ ('@' || a.login || '\\M(?!/)')
      union all
      select t.repository_id, t.issue_id, t.comment_id, 'team', null, m.id
      from texts t join teams m on true join accounts o on o.id = m.organization_id
      where t.body ~ ('@' || o.login || '/' || m.slug || '\\M')
    )
    insert into text_references (repository_id, issue_id, comment_id, kind, account_id, team_id, created_at)
    select repository_id, issue_id, comment_id, kind, account_id, team_id, ${w.clock.now} from meant
    where not exists (select from text_references x where x.issue_id = meant.issue_id
      and x.comment_id is not distinct from meant.comment_id and x.kind = meant.kind
      and x.account_id is not distinct from meant.account_id and x.team_id is not distinct from meant.team_id)`.execute(w.db);
}

type Shown = { id: string; reason: string; unread: boolean; title: string };

/** What an inbox shows. */
export async function inbox(client: Client, path = '/notifications'): Promise<Shown[]> {
  const { body } = await client.get(path);
  return body.map(({ id, reason, unread, subject }: Omit<Shown, 'title'> & { subject: { title: string } }) => ({
    id,
    reason,
    unread,
    title: subject.title,
  }));
}

export const reasonsIn = async (client: Client, path?: string): Promise<string[]> =>
  (await inbox(client, path)).map(({ reason }) => reason);
