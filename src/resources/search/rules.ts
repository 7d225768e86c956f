import { type RawBuilder, sql } from 'kysely';
import type { Viewer } from '#access/viewer.ts';
import { seesField } from '#resources/issue-fields/index.ts';
import { hasQualifier, type Node, QueryError } from '#search/index.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import type { SearchType } from './schemas.ts';

const kinds = ['issue', 'pr', 'pull-request'];

/** Document 1, rule 9: an app that acts for a user searches for issues and for pull requests apart. */
export function checkTarget(query: Node, { grant }: Viewer): void {
  if (grant.kind !== 'app_user') return;
  if (hasQualifier(query, 'is', kinds) || hasQualifier(query, 'type', kinds)) return;
  throw new QueryError('invalid_value', "Query must include 'is:issue' or 'is:pull-request'");
}

/** Which fields of issues, `f`, the viewer may search by. */
export const searchableFields = (viewer: Viewer): RawBuilder<boolean> => seesField(viewer, sql`f`);

/** The documents name the type of a search where it isn't the usual one; the public API always does. */
export const typeFor = (vocabulary: Vocabulary, type: SearchType): { search_type?: SearchType } =>
  type === 'lexical' && vocabulary === 'service' ? {} : { search_type: type };
