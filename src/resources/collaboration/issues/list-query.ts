// Which searches lists answer as well: those that only filter by what issues and pull requests of a repository have.
import { parse, QueryError } from '#search/index.ts';

/** The parameters of the list of a repository that shows what a search asks for. */
type ListQuery = {
  readonly kind: 'issue' | 'pull';
  readonly state: 'open' | 'closed' | 'all';
  readonly labels?: string;
  readonly creator?: string;
  readonly assignee?: string;
  readonly milestone?: 'none';
  readonly milestone_title?: string;
  readonly sort?: 'created' | 'updated' | 'comments';
  readonly direction?: 'asc' | 'desc';
};

/** How a query is answered: by a list, by a search, or not at all, since it can't be read. */
export type ListPlan =
  | { readonly by: 'list'; readonly query: ListQuery }
  | { readonly by: 'search' }
  | { readonly by: 'nothing'; readonly problem: string };

type Node = ReturnType<typeof parse>;
type Draft = { -readonly [Key in keyof ListQuery]?: ListQuery[Key] } & { labelNames?: string[] };

/**
 * How the list of a repository's issues or pull requests answers a query.
 * @param person the login that `@me` stands for
 */
export function planList(q: string, kind: ListQuery['kind'], person: string | undefined): ListPlan {
  let node: Node | undefined;
  try {
    node = q.trim() === '' ? undefined : parse('issues', q);
  } catch (error) {
    if (error instanceof QueryError) return { by: 'nothing', problem: error.errors[0]?.message ?? error.message };
    throw error;
  }
  const parts = node === undefined ? [] : node.kind === 'all' ? node.parts : [node];
  const draft: Draft = {};
  for (const part of parts) if (!takes(draft, part, person)) return { by: 'search' };
  const { labelNames = [], state = 'all', ...rest } = draft;
  return {
    by: 'list',
    query: { ...rest, kind: draft.kind ?? kind, state, ...(labelNames.length > 0 ? { labels: labelNames.join(',') } : {}) },
  };
}

/** Sets a parameter once; false where it has another value already. */
function set<Key extends keyof ListQuery>(draft: Draft, key: Key, value: NonNullable<ListQuery[Key]>): boolean {
  if (draft[key] !== undefined && draft[key] !== value) return false;
  draft[key] = value as Draft[Key];
  return true;
}

/** Takes one part of a query as a parameter of a list; false where lists don't filter by it. */
function takes(draft: Draft, part: Node, person: string | undefined): boolean {
  if (part.kind !== 'qualifier') return false;
  const { name, value } = part;
  switch (value.type) {
    case 'choice':
      return takesChoice(draft, name, value.choice);
    case 'login': {
      const login = value.login === '@me' ? person : value.login;
      if (login === undefined || login.startsWith('@')) return false;
      if (name === 'author') return set(draft, 'creator', login);
      return name === 'assignee' && set(draft, 'assignee', login);
    }
    case 'words': {
      const [label, ...others] = value.words;
      // Several labels in one qualifier mean any of them; lists know all of them.
      if (name !== 'label' || label === undefined || others.length > 0 || label.includes(',')) return false;
      draft.labelNames = [...(draft.labelNames ?? []), label];
      return true;
    }
    case 'text':
      return name === 'milestone' && value.text !== '*' && set(draft, 'milestone_title', value.text);
    case 'sort': {
      const by = (['created', 'updated', 'comments'] as const).find((one) => one === value.by);
      return by !== undefined && set(draft, 'sort', by) && set(draft, 'direction', value.order);
    }
    default:
      return false;
  }
}

function takesChoice(draft: Draft, name: string, choice: string): boolean {
  if (name === 'is' || name === 'state') {
    if (choice === 'open' || choice === 'closed') return set(draft, 'state', choice);
    if (name === 'is' && choice === 'issue') return set(draft, 'kind', 'issue');
    return name === 'is' && (choice === 'pr' || choice === 'pull-request') && set(draft, 'kind', 'pull');
  }
  if (name !== 'no') return false;
  if (choice === 'assignee') return set(draft, 'assignee', 'none');
  return choice === 'milestone' && set(draft, 'milestone', 'none');
}
