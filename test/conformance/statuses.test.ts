import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { hasErrorTexts } from '#endpoint/error-texts.ts';
import { refusalsOf } from '#openapi/refusals.ts';
import { allEndpoints } from '#resources/all.ts';
import { documentedStatuses, operations } from '#test/support/public-schema.ts';
import { undocumentedStatuses } from './undocumented-statuses.ts';

/** Statuses that depend on how a request arrives and who sends it, and not on the operation. */
const general = new Set([400, 401, 403, 404, 408, 413, 415, 422, 429, 503]);

/** Issues and pull requests return 410 if a repository has disabled them. */
const isSwitchable = ({ path }: Endpoint): boolean => /\/(issues|pulls)(\/|$)/.test(path);

const known = allEndpoints.filter(({ id }) => operations[id]);

test('operations refuse by the statuses that the public API describes, but for those of a list', () => {
  const found = known.flatMap((endpoint) => {
    const described = documentedStatuses(endpoint.id);
    const own = refusalsOf(endpoint).filter(
      (status) => !general.has(status) && !described.includes(status) && !(status === 410 && isSwitchable(endpoint)),
    );
    return own.map((status) => `${endpoint.id} ${status}`);
  });
  const listed = undocumentedStatuses.flatMap(({ status, operationIds }) => operationIds.map((id) => `${id} ${status}`));
  expect(found.sort()).toEqual(listed.sort());
});

test('errors of a 422 are texts in the operations in which the public API describes texts, and in no others', () => {
  const isTexts = (schema: unknown): boolean => JSON.stringify(schema) === '{"$ref":"#/schemas/validation-error-simple"}';
  const described = known.filter(({ id }) => isTexts(operations[id]?.responses[422])).map(({ id }) => id);
  expect(known.filter(hasErrorTexts).map(({ id }) => id)).toEqual(described);
  expect(described.length).toBeGreaterThan(20);
});
