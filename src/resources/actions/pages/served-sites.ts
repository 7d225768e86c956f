// Which website an address leads to. One statement answers for a whole batch of addresses.
import { type RawBuilder, sql } from 'kysely';
import { roleLevelOf } from '#access/sql.ts';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { hashToken } from '#lib/token.ts';
import { withoutWww } from './store.ts';

/**
 * What an address names: an owner, or a domain, and the first part of the path behind it, which may name one of the owner's
 * repositories; or a website that has a host for itself, by its label.
 */
export type SiteAddress = ({ readonly owner: string } | { readonly domain: string } | { readonly label: string }) & {
  readonly first: string | undefined;
  /** What the name of the owner's own website ends with, after the login and a dot. */
  readonly suffixes: readonly string[];
};

/** A requested address, with the token of the browser's session there, if any. */
export type AskedAddress = SiteAddress & { readonly session?: string | undefined };

/** A website, and what of it is served. */
export type ServedSite = {
  readonly repository: Id<'repositories'>;
  readonly name: string;
  readonly login: string;
  readonly domain: string | null;
  readonly https_enforced: boolean;
  /** The label of the host that it has for itself. Null: everybody may see it. */
  readonly label: string | null;
  /** Whether who asks may see it. */
  readonly isSeen: boolean;
  /** The folder that is served. Null: it wasn't built yet, and its host serves nothing else. */
  readonly tree: string | null;
  /** Whether the first part of the path named it. */
  readonly isByFirst: boolean;
};

type Row = ServedSite & { key: string };

/** A key for each address that leads to the same website, seen by the same session. */
export const keyOfAddress = (address: AskedAddress): string => {
  const first = address.first?.toLowerCase() ?? '';
  const session = address.session ?? '';
  if ('label' in address) return `${session} ${address.label}`;
  return `${session} ${'owner' in address ? `/${address.owner.toLowerCase()}` : withoutWww(address.domain)}/${first}`;
};

/** Whether the session that asks is that of somebody who may read the repository `r` now. */
const isReader = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`exists (select from pages_sessions k
    join sessions b on b.hash = k.session_hash join accounts reader on reader.id = b.account_id
    where k.hash = decode(a.session, 'hex') and k.repository_id = r.id and k.expires_at > ${now} and b.expires_at > ${now}
      and reader.suspended_at is null and ${roleLevelOf(sql`reader.id`)} > 0)`;

/** By what addresses name, their owners, and the repositories that are at their roots. */
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
 * The websites of some addresses, by the keys of these. Where the path names a repository with a website, it is that; else the
 * one of the owner, the domain or the label. Among those of an owner are only websites that everybody may see; the others are
 * alone at a domain or a label, and `isSeen` says whether who asks may see them.
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
  // Most requests ask for owners alone, and PostgreSQL prepares what else a statement has each time.
  const roots = rootsOf.filter(([field]) => asked.some((one) => one[field] !== null)).map(([, query]) => query);
  const seen = asked.some(({ session }) => session !== null) ? isReader(now) : sql<boolean>`false`;
  // Each name is looked for by itself (`limit 1`): PostgreSQL would rather read all repositories of an owner, who may have
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
