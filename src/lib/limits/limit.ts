type Unit = 'bytes' | 'milliseconds' | 'bytes a second' | 'count';

/** One limit, with the texts of its row in the documentation. */
export type Limit = {
  readonly value: number;
  readonly unit: Unit;
  /** What the limit applies to. */
  readonly of: string;
  /** What happens beyond it. */
  readonly past: string;
  /** The value in the documentation, if it depends on the machine. */
  readonly shown?: string;
  /** Set if operators can't change it, since a specification defines it, or stored data relies on it. */
  readonly fixed?: true;
};

type Limits = Readonly<Record<string, Limit>>;

/** The key of the group's own name and title, which isn't one of its limits. */
const head = Symbol('head');

/** Limits of one group. A limit's full name includes its group, for example `pages.files`. */
export type LimitGroup<Group extends string = string, Rows extends Limits = Limits> = Rows & {
  readonly [head]: { readonly name: Group; readonly title?: string };
};

/** Declares a group of limits, with its title in the documentation. */
export const limitGroup = <const Group extends string, const Rows extends Limits>(
  name: Group,
  title: string,
  limits: Rows,
): LimitGroup<Group, Rows> => ({ ...limits, [head]: { name, title } });

/** Declares further limits of a group whose title is declared elsewhere. */
export const moreLimits = <const Group extends string, const Rows extends Limits>(
  name: Group,
  limits: Rows,
): LimitGroup<Group, Rows> => ({ ...limits, [head]: { name } });

export const isLimitGroup = (value: unknown): value is LimitGroup => typeof value === 'object' && value !== null && head in value;

/** The value of a fixed limit. Values of other limits come from `Services.resourceLimits` or `GitStore.limits`. */
export const fixedValue = ({ value }: Limit & { readonly fixed: true }): number => value;

/** The values of a group, by limit. */
export type LimitValues<Group extends LimitGroup> = { readonly [Name in keyof Group & string]: number };

/** The default values of a group. */
export const initialValues = <Group extends LimitGroup>(group: Group): LimitValues<Group> =>
  // by the group's own keys
  Object.fromEntries(Object.entries(group).map(([name, { value }]) => [name, value])) as LimitValues<Group>;

/** All limits of a server, by group and name. */
export type LimitTable = ReadonlyMap<string, { readonly title: string; readonly limits: Limits }>;

/** Joins groups into one table. @throws Error if a limit is declared twice, or a group doesn't have exactly one title */
export function limitTable(groups: readonly LimitGroup[]): LimitTable {
  return new Map(
    [...Map.groupBy(groups, (group) => group[head].name)].map(([name, parts]) => {
      const [title, ...others] = parts.flatMap((part) => part[head].title ?? []);
      if (title === undefined || others.length > 0) throw new Error(`The limits ${name} must have one title`);
      const entries = parts.flatMap((part) => Object.entries(part));
      const limits = Object.fromEntries(entries);
      if (Object.keys(limits).length < entries.length) throw new Error(`A limit of ${name} is declared twice`);
      return [name, { title, limits }];
    }),
  );
}

/** Values that tests or operators set. They replace the values of these groups. */
export type LimitOverrides<Groups extends LimitGroup = LimitGroup> = {
  readonly [Name in Groups[typeof head]['name']]?: {
    readonly [Limit in NamesOf<Extract<Groups, { readonly [head]: { readonly name: Name } }>>]?: number;
  };
};
type NamesOf<Group> = Group extends unknown ? keyof Group & string : never;

/** The effective values. */
export type ResourceLimits = {
  /** The values of a group. Each call returns the same object. */
  of<Group extends LimitGroup>(group: Group): LimitValues<Group>;
};

/** The effective limits: the value in `overrides` if there is one, otherwise the value in the table. */
export function resourceLimits(table: LimitTable, overrides: LimitOverrides = {}): ResourceLimits {
  const values = new Map(
    [...table].map(([name, { limits }]) => [
      name,
      { ...Object.fromEntries(Object.entries(limits).map(([limit, { value }]) => [limit, value])), ...overrides[name] },
    ]),
  );
  return {
    // by the table, which has the group
    of: <Group extends LimitGroup>(group: Group) => values.get(group[head].name) as LimitValues<Group>,
  };
}

export const kibi = 1024;
export const mebi = 1024 * kibi;
/** Milliseconds. */
export const seconds = 1_000;
export const minutes = 60 * seconds;
