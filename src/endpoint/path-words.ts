import { type Static, type TSchema, Type } from 'typebox';
import { type Id, maxId } from '#lib/id.ts';

const text = Type.String({ minLength: 1, maxLength: 1024 });
const login = Type.String({ minLength: 1, maxLength: 100 });
const id = <Table extends string>(_table: Table) => Type.Unsafe<Id<Table>>({ type: 'integer', minimum: 1, maximum: maxId });
const number32 = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

/**
 * Every word that a path may hold in braces, once for the whole API. `org`, `owner`/`repo`, `template_owner`/`template_repo`
 * and `username` are looked up before the handler runs (see `At`); the others reach it parsed.
 */
export const pathWords = {
  org: login,
  owner: login,
  repo: login,
  template_owner: login,
  template_repo: login,
  username: login,
  account_id: id('accounts'),
  repository_id: id('repositories'),
  installation_id: id('installations'),
  app_slug: text,
  client_id: text,
  code: text,
  invitation_id: id('repository_invitations'),
  key_id: id('public_keys'),
  team_slug: text,
  role_id: id('organization_roles'),
  branch: text,
  ref: Type.String({ maxLength: 1024 }),
  basehead: text,
  path: Type.String({ maxLength: 4096 }),
  dir: Type.String({ maxLength: 4096 }),
  archive: text,
  file_sha: text,
  tree_sha: text,
  commit_sha: text,
  tag_sha: text,
  issue_number: number32,
  milestone_number: number32,
  comment_id: id('issue_comments'),
  reaction_id: id('reactions'),
  event_id: id('issue_events'),
  issue_field_id: id('issue_fields'),
  hook_id: id('webhooks'),
  delivery_id: id('webhook_deliveries'),
  hosted_runner_id: id('hosted_runners'),
  image_definition_id: id('custom_images'),
  version: Type.String({ pattern: '^\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$' }),
  name: text,
  secret_name: text,
  license: text,
  assignee: login,
} as const satisfies Record<string, TSchema>;

export type PathWord = keyof typeof pathWords;

/** Words whose value runs to the end of the path, slashes and all: file paths and refs. */
export const greedyWords: ReadonlySet<string> = new Set(['path', 'dir', 'ref', 'basehead', 'branch']);

/** The words in braces of a path pattern. */
export type WordsOf<Path extends string> = Path extends `${string}{${infer Word}}${infer Rest}` ? Word | WordsOf<Rest> : never;

/** Only a path whose words are all known is a path. */
export type KnownPath<Path extends string> = [Exclude<WordsOf<Path>, PathWord>] extends [never] ? Path : never;

/** The parsed value of a word that is not looked up. */
export type WordValue<Word extends PathWord> = Static<(typeof pathWords)[Word]>;

/** The words of a path pattern, in order. */
export const wordsOf = (path: string): PathWord[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as PathWord);
