import { readFileSync } from 'node:fs';
import { isPermissionName, type PermissionName } from '#access/permissions.ts';
import type { TokenKind } from '#access/tokens.ts';
import { getOrThrow } from '#lib/collections.ts';
import { allEndpoints } from '#resources/all.ts';

/** The rows of the documents' permission matrices for one operation, one for each category that lists it. */
export type MatrixRow = {
  readonly method: string;
  readonly path: string;
  readonly scope: 'organization' | 'repository';
  readonly permission: string;
  readonly access: 'read' | 'write';
  readonly matrices: readonly ('personal' | 'app')[];
  readonly app_tokens: readonly ('UAT' | 'IAT')[];
  /** It is also listed under other permissions. */
  readonly multiple: boolean;
};

type Category = { readonly category: string; readonly scope: string; readonly level: 'read' | 'write' };

/** An endpoint that the documents describe. */
export type DocumentedEndpoint = {
  readonly method: string;
  readonly path: string;
  readonly permission: Category | null;
  readonly permission_alternatives?: readonly Category[];
  readonly classic_scopes: readonly string[] | null;
  readonly token_kinds: readonly (keyof typeof kinds)[];
  readonly success: readonly number[];
  readonly other?: readonly number[];
  readonly pagination: { readonly style: string; readonly default_per_page?: number; readonly max_per_page?: number };
};

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../spec/${name}`, import.meta.url), 'utf8'));

export const matrix = read('permission-matrix.json') as MatrixRow[];
export const documented = read('endpoints.json') as DocumentedEndpoint[];

const kinds = {
  classic_pat: 'classic_pat',
  oauth: 'oauth_app',
  fine_grained_pat: 'fine_grained_pat',
  UAT: 'app_user',
  IAT: 'installation',
} as const satisfies Record<string, TokenKind>;

/** Hearth's names for the documents' kinds of tokens. */
export const kindsOf = (names: readonly (keyof typeof kinds)[]): TokenKind[] => names.map((name) => kinds[name]);

/** Hearth's name for a category of the documents. */
export function permissionNamed(category: string, scope: string): PermissionName {
  const names = scope === 'organization' ? [`organization_${category}`, category] : [category];
  const known = names.find(isPermissionName);
  if (!known) throw new Error(`${category} of ${scope} is not in the catalogue of permissions`);
  return known;
}

type Route = { readonly method: string; readonly path: string };

/** Method and path without the names of path words, which differ between the documents and Hearth. */
export const shapeOf = ({ method, path }: Route): string => `${method} ${path.replace(/\{\w+\}/g, '{}')}`;

const declared = new Map(allEndpoints.map((endpoint) => [shapeOf(endpoint), endpoint]));

/** The declaration for a route of the documents. */
export const declarationOf = (route: Route) => getOrThrow(declared, shapeOf(route));

/** The operations of the documents that have no declaration. */
export const notBuilt = (): string[] =>
  [
    ...new Set(
      [...matrix, ...documented].filter((route) => !declared.has(shapeOf(route))).map(({ method, path }) => `${method} ${path}`),
    ),
  ].sort();
