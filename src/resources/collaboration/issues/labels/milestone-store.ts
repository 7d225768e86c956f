import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { LabelRow } from '#resources/repositories/labels/index.ts';

/** The labels that issues of a milestone have, each once. */
export const listMilestoneLabels = (db: Db, milestone: Id<'milestones'>, page: Page): Promise<Listed<LabelRow>> =>
  list(
    db,
    db
      .selectFrom('labels')
      .selectAll()
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('issue_labels')
          .innerJoin('issues', 'issues.id', 'issue_labels.issue_id')
          .select('issue_labels.label_id')
          .where('issues.milestone_id', '=', milestone),
      )
      .orderBy(sql`lower(name)`)
      .orderBy('id'),
    page,
  );
