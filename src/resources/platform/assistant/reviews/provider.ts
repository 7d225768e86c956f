// The usage of the assistant that a server's own setting attaches: what its rows of reviews tell.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { grouped } from '#lib/collections.ts';
import type { AssistantActivity, AssistantMetrics, AssistantProvider, AssistantUsers } from '../provider.ts';

/** The counts of a day, of a repository on it, or of a model in that. */
type DayRow = {
  readonly day: string;
  readonly repository: string | null;
  readonly model: string | null;
  readonly users: number;
  readonly reviews: number;
};

/** The reviews `r` that were posted for users of an organization or one of its teams, child teams included. */
function postedFor({ organization, team }: AssistantUsers): RawBuilder<unknown> {
  const inTeam = sql`r.requester_id in (select m.user_id from team_members m join teams t on t.id = m.team_id
    where t.ancestors @> array[(
      select w.id from teams w where w.organization_id = o.id and lower(w.slug) = lower(${team ?? ''}))])`;
  return sql`assistant_reviews r join accounts o on o.id = r.organization_id
    where lower(o.login) = lower(${organization}) and r.state = 'done' and ${team === undefined ? sql`true` : inTeam}`;
}

async function listDays(db: Db, users: AssistantUsers, from: string, to: string): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    with posted as (
      select (r.completed_at at time zone 'UTC')::date::text as day, o.login || '/' || r.repository_name as repository, r.model,
        r.requester_id
      from ${postedFor(users)}
        and r.completed_at >= (${from}::date::timestamp at time zone 'UTC')
        and r.completed_at < ((${to}::date + 1)::timestamp at time zone 'UTC')
    )
    select day, repository, model, count(distinct requester_id) as users, count(*) as reviews from posted
    group by grouping sets ((day), (day, repository), (day, repository, model))
    order by day, repository nulls first, model nulls first`.execute(db);
  return rows;
}

function metricsOf(date: string, rows: readonly DayRow[]): AssistantMetrics {
  const users = rows.find(({ repository }) => repository === null)?.users ?? 0;
  const repositories = grouped(
    rows.filter(({ repository }) => repository !== null),
    ({ repository }) => repository ?? '',
  );
  return {
    date,
    total_active_users: users,
    total_engaged_users: users,
    assistant_ide_code_completions: null,
    assistant_ide_chat: null,
    assistant_web_chat: null,
    assistant_web_pull_requests: {
      total_engaged_users: users,
      repositories: [...repositories].map(([name, own]) => ({
        name,
        total_engaged_users: own.find(({ model }) => model === null)?.users ?? 0,
        models: own.flatMap((row) => (row.model === null ? [] : [modelOf({ ...row, model: row.model })])),
      })),
    },
  };
}

/** The summary of each review counts as one of a pull request. */
const modelOf = ({ model, users, reviews }: DayRow & { readonly model: string }) => ({
  name: model,
  is_custom_model: false,
  custom_model_training_date: null,
  total_engaged_users: users,
  total_pr_summaries_created: reviews,
});

/** The editor of everybody's activity: reviews are requested on this server. */
const editor = 'pull-request-review';

/** The provider of an assistant that reviews pull requests. People are active when they request a review. */
export const reviewUsage: AssistantProvider = {
  async metrics(users, from, to, db) {
    const days = grouped(await listDays(db, users, from, to), ({ day }) => day);
    return [...days].map(([day, rows]) => metricsOf(day, rows));
  },
  async activity(organization, logins, db) {
    const { rows } = await sql<{ login: string; at: Date }>`
      select a.login, max(r.created_at) as at
      from assistant_reviews r join accounts o on o.id = r.organization_id join accounts a on a.id = r.requester_id
      where lower(o.login) = lower(${organization}) and a.login = any (${[...logins]}::text[]) group by a.login`.execute(db);
    return new Map(rows.map(({ login, at }): [string, AssistantActivity] => [login, { at, editor, authenticatedAt: null }]));
  },
  async activeSince(organization, since, db) {
    const { rows } = await sql<{ login: string }>`
      select distinct a.login
      from assistant_reviews r join accounts o on o.id = r.organization_id join accounts a on a.id = r.requester_id
      where lower(o.login) = lower(${organization}) and r.created_at >= ${since}`.execute(db);
    return new Set(rows.map(({ login }) => login));
  },
};
