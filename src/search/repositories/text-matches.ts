import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import type { Budget } from '#search/result.ts';
import type { TextMatch } from '#search/text-match/fragments.ts';
import { propertyMatches } from '#search/text-match/properties.ts';
import { searchedFieldsOf } from './filters.ts';
import type { RepositoryHit } from './search.ts';

type RepositoryMatching = { query: Node; hits: readonly RepositoryHit[]; budget: Pick<Budget, 'left'> };

/** The matches in the name and the description of each hit. */
export function repositoryTextMatches(matching: RepositoryMatching): Promise<TextMatch[][]> {
  const searchedFields = searchedFieldsOf(split(matching.query).filters);
  const propertiesOf = ({ name, description }: RepositoryHit) =>
    [
      { property: 'name', text: name, isName: true } as const,
      { property: 'description', text: description ?? '', isName: false } as const,
    ].filter(({ property }) => searchedFields.includes(property));
  return propertyMatches({ ...matching, propertiesOf });
}
