// The requirements of each endpoint, independent of the declarations: from the documents' tables, and from `requirements.txt`
// where these are silent.
import { readFileSync } from 'node:fs';

/** The terms are the documents', or the public API's if the documents are silent. */
export type Requirement = {
  readonly permission?:
    | string
    | { readonly anyOf?: readonly string[]; readonly allOf?: readonly string[]; readonly none?: string };
  readonly scopes?: readonly string[];
  readonly alsoScopes?: readonly string[];
  readonly credentials?: readonly string[];
  /** Set if the documents list tokens, and sessions are refused. The documents don't know sessions. */
  readonly sessions?: false;
  readonly role?: string;
  readonly orRole?: string;
  readonly public?: boolean;
  readonly archived?: string;
  readonly locked?: string;
  readonly interaction?: boolean;
  readonly heads?: string;
};

type Route = { readonly method: string; readonly path: string };
type Row = Route & {
  readonly scope: string;
  readonly permission: string;
  readonly access: string;
  readonly matrices: readonly string[];
  readonly app_tokens: readonly string[];
  readonly multiple: boolean;
};
type Category = { readonly category: string; readonly scope: string; readonly level: string };
type Described = Route & {
  readonly permission: Category | null;
  readonly permission_alternatives?: readonly Category[];
  readonly classic_scopes: readonly string[] | null;
  readonly token_kinds: readonly string[];
};

const textOf = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const rows = JSON.parse(textOf('../spec/permission-matrix.json')) as Row[];
const described = JSON.parse(textOf('../spec/endpoints.json')) as Described[];

/** Method and path without the names of path words, which differ between the documents and Hearth. */
const shapeOf = ({ method, path }: Route): string => `${method} ${path.replace(/\{\w+\}/g, '{}')}`;

/** Only these categories of an organization have no prefix. */
const nameOf = (category: string, scope: string): string =>
  scope !== 'organization' || /^(?:organization_|members$|issue_fields$)/.test(category) ? category : `organization_${category}`;

const kinds: Readonly<Record<string, string>> = { oauth: 'oauth_app', UAT: 'app_user', IAT: 'installation' };
const scoped = ['classic_pat', 'oauth_app'];

/** Document 3 only covers fine-grained tokens. If it lists an operation once, that permission is the only requirement. */
function byMatrix(of: readonly Row[]): Requirement {
  const [row] = of;
  if (row === undefined || row.multiple || of.length > 1) return {};
  return { permission: `${nameOf(row.permission, row.scope)}:${row.access}` };
}

/** Documents 1 and 2 specify permissions, scopes and the kinds of tokens. */
function byDescription({ permission, permission_alternatives = [], classic_scopes, token_kinds }: Described): Requirement {
  const needed = [permission ?? [], permission_alternatives]
    .flat()
    .map((one) => `${nameOf(one.category, one.scope)}:${one.level}`);
  const [first] = needed;
  return {
    ...(first === undefined ? {} : { permission: needed.length === 1 ? first : { anyOf: needed } }),
    ...(classic_scopes ? { scopes: classic_scopes } : {}),
    credentials: token_kinds.map((kind) => kinds[kind] ?? kind),
  };
}

const rowsByShape = Map.groupBy(rows, shapeOf);
const describedByShape = new Map(described.map((one) => [shapeOf(one), one]));

/** The documents' requirements of a route. */
export function documentedOf(route: Route): Requirement {
  const shape = shapeOf(route);
  const told = describedByShape.get(shape);
  return { ...byMatrix(rowsByShape.get(shape) ?? []), ...(told ? byDescription(told) : {}) };
}

/** The fine-grained kinds that document 3 lists for a route; undefined if it doesn't list the route. */
export function documentedKinds(route: Route): readonly string[] | undefined {
  const of = rowsByShape.get(shapeOf(route));
  const [row] = of ?? [];
  if (!row) return undefined;
  return [
    ...(row.matrices.includes('personal') ? ['fine_grained_pat'] : []),
    ...row.app_tokens.map((kind) => kinds[kind] ?? kind),
  ];
}

const fields = [
  'permission',
  'scopes',
  'alsoScopes',
  'credentials',
  'role',
  'orRole',
  'public',
  'archived',
  'locked',
  'interaction',
  'heads',
] as const satisfies readonly (keyof Requirement)[];

/** A line of `requirements.txt`, for requirements that the documents don't specify. */
export function lineOf(route: Route, declared: Requirement): string {
  const told = documentedOf(route);
  const left = fields.filter((field) => declared[field] !== undefined && told[field] === undefined);
  const refusesSessions = told.credentials && declared.credentials && !declared.credentials.includes('session');
  const open = Object.fromEntries(left.map((field) => [field, declared[field]]));
  return `${route.method} ${route.path} ${JSON.stringify({ ...open, ...(refusesSessions ? { sessions: false } : {}) })}`;
}

const lines = new Map(
  textOf('requirements.txt')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [method = '', path = '', ...rest] = line.split(' ');
      return [`${method} ${path}`, JSON.parse(rest.join(' ')) as Requirement];
    }),
);

/** The requirements of a route. @throws for a route that is missing in `requirements.txt` */
export function requirementOf(route: Route): Requirement {
  const line = lines.get(`${route.method} ${route.path}`);
  if (!line) throw new Error(`requirements.txt doesn't know ${route.method} ${route.path}`);
  const told = documentedOf(route);
  const { sessions = line.credentials?.includes('session') ?? true, ...needs } = { ...line, ...told };
  const session = sessions ? ['session'] : [];
  const named = documentedKinds(route);
  // Document 3 is authoritative for fine-grained kinds. It doesn't cover tokens with scopes.
  if (named) {
    const withScopes = (needs.credentials ?? scoped).filter((kind) => scoped.includes(kind));
    return { ...needs, credentials: [...withScopes, ...named, ...session] };
  }
  return told.credentials ? { ...needs, credentials: [...told.credentials, ...session] } : needs;
}

const everyKind = [...scoped, 'fine_grained_pat', 'app_user', 'installation', 'session'];

const whereAbsent: Requirement = { credentials: everyKind, scopes: [], alsoScopes: [] };

/** The same in a normal form: sorted lists, with empty ones for missing ones. */
const inOneForm = (value: unknown, field: keyof Requirement): string =>
  JSON.stringify(value ?? whereAbsent[field] ?? null, (_, inner) => (Array.isArray(inner) ? inner.toSorted() : inner));

/** The fields in which a declaration differs from its route's requirements. */
export const differencesOf = (declared: Requirement, needs: Requirement): string[] =>
  fields.filter((field) => inOneForm(declared[field], field) !== inOneForm(needs[field], field));

export const knownRoutes = (): string[] => [...lines.keys()];
