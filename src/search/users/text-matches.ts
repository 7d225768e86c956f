import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import type { Budget } from '#search/result.ts';
import type { TextMatch } from '#search/text-match/fragments.ts';
import { propertyMatches } from '#search/text-match/properties.ts';
import { searchedFieldsOf } from './filters.ts';
import type { UserHit } from './search.ts';

type UserMatching = { query: Node; seesEmails: boolean; hits: readonly UserHit[]; budget: Pick<Budget, 'left'> };

/** The matches in the login, the name and the address of each hit. */
export function userTextMatches(matching: UserMatching): Promise<TextMatch[][]> {
  const searchedFields = searchedFieldsOf(split(matching.query).filters, matching);
  const propertiesOf = (hit: UserHit) =>
    searchedFields.map((property) => ({ property, text: hit[property] ?? '', isName: true }));
  return propertyMatches({ ...matching, propertiesOf });
}
