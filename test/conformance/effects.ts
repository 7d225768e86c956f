// What operations that write change, and the tests that show it.
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { FamilyEffects, ShownBy } from '#openapi/effects-page.ts';
import { allEndpoints, allFamilies, productOf } from '#resources/all.ts';
import { namedOperations, testOf } from './named-effects.ts';

/** Operations that change nothing, although their method is that of a write. */
export const readingOperations: readonly { id: string; reason: string }[] = [
  { id: 'markdown/render', reason: 'a long text is sent in a body, and its rendering is the reply' },
  { id: 'markdown/render-raw', reason: 'a long text is sent in a body, and its rendering is the reply' },
  { id: 'apps/check-token', reason: 'a token is a secret, which is not for an address' },
  { id: 'security-advisories/create-repository-advisory-cve-request', reason: 'refused: no server gives such numbers by itself' },
  { id: 'repos/generate-release-notes', reason: 'the notes are the reply, and no release has them yet' },
];

const isReading = ({ id, method }: Endpoint): boolean =>
  method === 'GET' || readingOperations.some((reading) => reading.id === id);

export const writingEndpoints = allEndpoints.filter((endpoint) => !isReading(endpoint));

/** The families that write, with the tests of each of their operations. */
export const familyEffects: readonly FamilyEffects[] = allFamilies.flatMap((family) => {
  const operations = writingEndpoints.filter((endpoint) => endpoint.family === family.name);
  if (operations.length === 0) return [];
  const { name, effect = '', page } = family;
  const testsOf = (id: string): ShownBy[] => namedOperations.filter(({ what }) => what === id).map(testOf);
  return {
    name,
    product: productOf(family),
    effect,
    page,
    operations: operations.map((endpoint) => ({ endpoint, tests: testsOf(endpoint.id) })),
  };
});
