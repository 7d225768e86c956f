import { expect, test } from 'vitest';
import { alternatives } from '#access/policy.ts';
import { everyCredential, type TokenKind, tokensAmong } from '#access/tokens.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { declarationOf, documented, kindsOf, matrix, permissionNamed } from './matrix.ts';

const tokensOf = ({ access }: Endpoint): readonly TokenKind[] => tokensAmong(access.credentials ?? everyCredential);

const required = ({ access }: Endpoint): string[] => alternatives(access.permission).flat();

const rows = matrix.map((row) => ({
  row,
  endpoint: declarationOf(row),
  name: `${row.method} ${row.path} by ${row.permission}:${row.access}`,
}));

test.each(rows)('document 3: $name', ({ row, endpoint }) => {
  const permission = `${permissionNamed(row.permission, row.scope)}:${row.access}`;
  const permissions = required(endpoint);
  expect(permissions).toContain(permission);
  if (!row.multiple) expect(permissions).toEqual([permission]);

  const app = kindsOf(row.app_tokens);
  const allowed = [...(row.matrices.includes('personal') ? ['fine_grained_pat'] : []), ...app];
  for (const kind of ['fine_grained_pat', 'app_user', 'installation'] as const)
    expect(tokensOf(endpoint).includes(kind), kind).toBe(allowed.includes(kind));
});

const endpoints = documented.map((told) => ({ told, endpoint: declarationOf(told), name: `${told.method} ${told.path}` }));

test.each(endpoints)('documents 1 and 2: $name', ({ told, endpoint }) => {
  const all = [...(told.permission ? [told.permission] : []), ...(told.permission_alternatives ?? [])];
  const permissions = all.map(({ category, scope, level }) => `${permissionNamed(category, scope)}:${level}`);
  expect(required(endpoint).toSorted()).toEqual(permissions.toSorted());
  if (told.classic_scopes) expect([...(endpoint.access.scopes ?? [])].sort()).toEqual([...told.classic_scopes].sort());
  expect([...tokensOf(endpoint)].sort()).toEqual(kindsOf(told.token_kinds).sort());
  expect(Object.keys(endpoint.replies).map(Number)).toEqual(
    expect.arrayContaining([...told.success].filter((status) => status < 300)),
  );
  if (told.pagination.style === 'page')
    expect(endpoint.paging).toMatchObject({
      defaultLimit: told.pagination.default_per_page ?? 30,
      maxLimit: told.pagination.max_per_page ?? 100,
    });
});
