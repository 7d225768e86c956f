// Conditions on the relations between issues: sub-issues, and issues that block others. The index doesn't store them.
import { type RawBuilder, sql } from 'kysely';

/** An issue by its repository and number. */
type NamedIssue = { readonly owner: string; readonly name: string; readonly number: number };

type Relation = 'parent-issue' | 'sub-issues' | 'blocked-by' | 'blocking';

/** The rows of a relation: each issue `own`, with the related issue `other`. */
const relations: Record<Relation, RawBuilder<unknown>> = {
  'parent-issue': sql`select issue_id as own, parent_id as other from sub_issues`,
  'sub-issues': sql`select parent_id as own, issue_id as other from sub_issues`,
  'blocked-by': sql`select issue_id as own, blocking_id as other from issue_dependencies`,
  blocking: sql`select blocking_id as own, issue_id as other from issue_dependencies`,
};

/** The relation in a qualifier, or in a value of `has:` and `no:`. */
export const relationOf = (word: string): Relation | undefined =>
  word === 'sub-issue' ? 'sub-issues' : word in relations ? (word as Relation) : undefined; // its keys are the relations

/**
 * Whether the row's issue has such a relation to another issue `o` with this condition. Issues of other repositories count if the
 * caller may read issues there: `readable` selects these repositories. `is true` keeps PostgreSQL from turning the hashed
 * subquery into a join.
 */
const hasRelation = (
  relation: Relation,
  condition: RawBuilder<unknown>,
  readable: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  ((issue_id in (select x.own from (${relations[relation]}) x join issues i on i.id = x.own join issues o on o.id = x.other
    where ${condition} and (o.repository_id = i.repository_id or o.repository_id in (${readable})))) is true)`;

/** Whether the row's issue has any such relation. */
export const isRelated = (relation: Relation, readable: RawBuilder<unknown>): RawBuilder<unknown> =>
  hasRelation(relation, sql`true`, readable);

/** Whether open issues block the row's issue, or whether it blocks open issues. */
export const isRelatedToOpen = (relation: 'blocked-by' | 'blocking', readable: RawBuilder<unknown>): RawBuilder<unknown> =>
  hasRelation(relation, sql`o.state = 'open'`, readable);

/** Whether the row's issue has such a relation to the given issue. */
export const isRelatedTo = (
  relation: Relation,
  { owner, name, number }: NamedIssue,
  readable: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  hasRelation(
    relation,
    sql`o.number = ${number} and o.repository_id in (select r.id from repositories r join accounts a on a.id = r.owner_id
      where lower(r.name) = lower(${name}) and lower(a.login) = lower(${owner}))`,
    readable,
  );
