import { insertImportedDependencies, insertImportedSubIssues } from '#resources/collaboration/issue-relations/index.ts';
import { setDuplicates } from '#resources/collaboration/issues/index.ts';
import type { RecordOf } from '../archive/format.ts';
import { type Context, eachPage, type ImportedIssue, type Issues, timeOf } from './context.ts';

/** Relates imported issues to each other: sub-issues, dependencies and duplicates. */
export async function importRelations(context: Context, issues: Issues): Promise<void> {
  const {
    scope: { tx },
  } = context;
  const insert = async (page: RecordOf<'issues'>[]): Promise<void> => {
    const known = page.flatMap((one) => {
      const issue = issues.get(one.url);
      return issue ? [{ one, issue }] : [];
    });
    const related = (own: ImportedIssue, rows: RecordOf<'issues'>['sub_issues'] = []) =>
      rows.flatMap(({ issue, created_at }) => {
        const other = issues.get(issue);
        return other ? [{ own: own.id, other: other.id, created_at: timeOf(created_at) }] : [];
      });
    await insertImportedSubIssues(
      tx,
      known.flatMap(({ one, issue }) =>
        related(issue, one.sub_issues).map(({ own, other, created_at }, at) => ({
          issue_id: other,
          parent_id: own,
          position: at + 1,
          created_at,
        })),
      ),
    );
    await insertImportedDependencies(
      tx,
      known.flatMap(({ one, issue }) =>
        related(issue, one.blocked_by).map(({ own, other, created_at }) => ({
          issue_id: own,
          blocking_id: other,
          created_at,
        })),
      ),
    );
    await setDuplicates(
      tx,
      known.flatMap(({ one, issue }) => {
        const original = one.duplicate_of ? issues.get(one.duplicate_of) : undefined;
        return original ? [{ issue: issue.id, of: original.id }] : [];
      }),
    );
  };
  await eachPage(context, 'issues', insert, 'Relations');
}
