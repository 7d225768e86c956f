// Finds the website for an address. One statement answers a whole batch of addresses.
import { type RawBuilder, sql } from 'kysely';
import { roleLevelOf } from '#access/sql.ts';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { hashToken } from '#lib/token.ts';
import { withoutWww } from './store.ts';

/**
 * What an address names: an owner or a domain, with the first part of the path, which may name one of the owner's repositories;
 * or the label of a website with a host of its own.
 */
export type SiteAddress = ({ readonly owner: string } | { readonly domain: string } | { readonly label: string }) & {
  readonly first: string | undefined;
  /** The suffixes of the names of owners' websites, after the login and a dot. */
  readonly suffixes: readonly string[];
};

/** A requested address, with the token of the browser's session there, if any. */
export type AskedAddress = SiteAddress & { readonly session?: string | undefined };

/** A website, and what is served of it. */
export type ServedSite = {
  readonly repository: Id<'repositories'>;
  readonly name: string;
  readonly login: string;
  readonly domain: string | null;
  readonly https_enforced: boolean;
  /** The label of the website's own host. Null if the website is public. */
  readonly label: string | null;
  /** Whether the visitor may see it. */
  readonly isSeen: boolean;
  /** The served folder. Null if the website wasn't built yet; its host then serves nothing else. */
  readonly tree: string | null;
  /** Whether the first part of the path named the repository. */
  readonly isByFirst: boolean;
};

type Row = ServedSite & { key: string };

/** A key that is equal for addresses of the same website in the same session. */
export const keyOfAddress = (address: AskedAddress): string => {
  const first = address.first?.toLowerCase() ?? '';
  const session = address.session ?? '';
  if ('label' in address) return `${session} ${address.label}`;
  return `${session} ${'owner' in address ? `/${address.owner.toLowerCase()}` : withoutWww(address.domain)}/${first}`;
};

/** Whether the session belongs to a user who may currently read the repository `r`. */
const isReader = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`exists (select from pages_sessions k
    join sessions b on b.hash = k.session_hash join accounts reader on reader.id = b.account_id
    where k.hash = decode(a.session, 'hex') and k.repository_id = r.id and k.expires_at > ${now} and b.expires_at > ${now}
      and reader.suspended_at is null and ${roleLevelOf(sql`reader.id`)} > 0)`;

/** The owners for each kind of address, and the repositories at their roots. */
const rootsOf = [
  ['owner', sql`select a.*, o.id as owner_id, null::bigint as root_id from asked a join accounts o on lower(o.login) = a.owner`],
  [
    'base',
    sql`select a.*, r.owner_id, r.id as root_id from asked a
      join pages_domains d on d.base = a.base join repositories r on r.id = d.repository_id`,
  ],
  [
    'label',
    sql`select a.*, r.owner_id, r.id as root_id from asked a
      join pages_sites s on s.private_label = a.label join repositories r on r.id = s.repository_id`,
  ],
] as const;

/**
 * The websites of some addresses, by the keys of these. If the path names a repository with a website, that website is used;
 * otherwise the website of the owner, the domain or the label. Addresses of owners lead to public websites only. Private websites
 * have a domain or a label, and `isSeen` says whether the visitor may see them.
 */
export async function loadServedSites(
  db: Db,
  addresses: ReadonlyMap<string, AskedAddress>,
  now: Date,
): Promise<ReadonlyMap<string, ServedSite>> {
  const asked = [...addresses].map(([key, address]) => ({
    key,
    owner: 'owner' in address ? address.owner.toLowerCase() : null,
    base: 'domain' in address ? withoutWww(address.domain) : null,
    label: 'label' in address ? address.label : null,
    first: address.first?.toLowerCase() ?? null,
    suffixes: address.suffixes,
    session: address.session === undefined ? null : hashToken(address.session).toString('hex'),
  }));
  // Most requests contain only addresses of owners, and PostgreSQL plans every other part of a statement each time.
  const roots = rootsOf.filter(([field]) => asked.some((one) => one[field] !== null)).map(([, query]) => query);
  const seen = asked.some(({ session }) => session !== null) ? isReader(now) : sql<boolean>`false`;
  // Each name is looked up separately (`limit 1`). Otherwise PostgreSQL would read all repositories of an owner, possibly
  // thousands.
  const { rows } = await sql<Row>`
    with asked as (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as a (key text, owner text, base text, label text, first text, suffixes text[], session text)
    ), rooted as (${sql.join(roots, sql` union all `)})
    select distinct on (a.key) a.key, r.id as repository, r.name, o.login, d.domain, s.https_enforced, s.live_tree as tree,
      case when not is_open then s.private_label end as label, (is_open or ${seen}) as "isSeen",
      coalesce(r.id is distinct from a.root_id and lower(r.name) = a.first, false) as "isByFirst"
    from rooted a
      join accounts o on o.id = a.owner_id
      cross join lateral (select array(select lower(o.login) || '.' || suffix from unnest(a.suffixes) suffix) as own) names
      cross join lateral (
        select a.root_id as id where a.root_id is not null
        union all
        select named.id from unnest(
          case when a.root_id is null then array_append(names.own, a.first)
            when exists (select from repositories root join pages_sites top on top.repository_id = root.id
              where root.id = a.root_id and lower(root.name) = any (names.own)
                and coalesce(top.is_public, root.visibility = 'public')) then array[a.first] end) as wanted (name)
          cross join lateral (
            select id from repositories where owner_id = a.owner_id and lower(name) = wanted.name limit 1) named) candidate
      join repositories r on r.id = candidate.id
      join pages_sites s on s.repository_id = r.id
      cross join lateral (select coalesce(s.is_public, r.visibility = 'public') as is_open) shown
      left join pages_domains d on d.repository_id = r.id
    where r.id = a.root_id or (s.live_tree is not null and is_open)
    order by a.key, "isByFirst" desc, array_position(names.own, lower(r.name)) nulls last`.execute(db);
  return new Map(rows.map(({ key, ...site }) => [key, site]));
}
