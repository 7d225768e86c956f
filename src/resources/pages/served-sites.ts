// Which website an address leads to. One statement answers for all addresses that are asked for at once.
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { withoutWww } from './store.ts';

/**
 * What an address names: an owner, or a domain, and the first part of the path behind it, which may name one of the owner's
 * repositories.
 */
export type SiteAddress = ({ readonly owner: string } | { readonly domain: string }) & {
  readonly first: string | undefined;
  /** What the name of the owner's own website ends with, after the login and a dot. */
  readonly suffixes: readonly string[];
};

/** A website that everybody may see, and what of it is served. */
export type ServedSite = {
  readonly repository: Id<'repositories'>;
  readonly name: string;
  readonly login: string;
  readonly domain: string | null;
  readonly https_enforced: boolean;
  /** The folder that is served. */
  readonly tree: string;
  /** Whether the first part of the path named it. */
  readonly isByFirst: boolean;
};

type Row = ServedSite & { key: string };

/** A key for each address that leads to the same website. */
export const keyOfAddress = (address: SiteAddress): string => {
  const first = address.first?.toLowerCase() ?? '';
  return 'owner' in address ? `/${address.owner.toLowerCase()}/${first}` : `${withoutWww(address.domain)}/${first}`;
};

/**
 * The websites of some addresses, by the keys of these. Where the path names a repository with a website, it is that; else the one of
 * the owner or the domain. A website that not everybody may see is missing, as one that isn't there.
 */
export async function loadServedSites(
  db: Db,
  addresses: ReadonlyMap<string, SiteAddress>,
): Promise<ReadonlyMap<string, ServedSite>> {
  const asked = [...addresses].map(([key, address]) => ({
    key,
    owner: 'owner' in address ? address.owner.toLowerCase() : null,
    base: 'domain' in address ? withoutWww(address.domain) : null,
    first: address.first?.toLowerCase() ?? null,
    suffixes: address.suffixes,
  }));
  const { rows } = await sql<Row>`
    with asked as (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as a (key text, owner text, base text, first text, suffixes text[])
    ), rooted as (
      select a.key, a.first, a.suffixes, o.id as owner_id, null::bigint as root_id from asked a join accounts o on lower(o.login) = a.owner
      union all
      select a.key, a.first, a.suffixes, r.owner_id, r.id from asked a
        join pages_domains d on d.base = a.base join repositories r on r.id = d.repository_id
    )
    select distinct on (a.key) a.key, r.id as repository, r.name, o.login, d.domain, s.https_enforced, s.live_tree as tree,
      coalesce(r.id is distinct from a.root_id and lower(r.name) = a.first, false) as "isByFirst"
    from rooted a
      join accounts o on o.id = a.owner_id
      cross join lateral (select array(select lower(o.login) || '.' || suffix from unnest(a.suffixes) suffix) as own) names
      join repositories r on r.owner_id = a.owner_id and (r.id = a.root_id
        or (a.root_id is null and lower(r.name) = any (names.own))
        or (lower(r.name) = a.first and (a.root_id is null
          or exists (select from repositories root where root.id = a.root_id and lower(root.name) = any (names.own)))))
      join pages_sites s on s.repository_id = r.id
      left join pages_domains d on d.repository_id = r.id
    where s.live_tree is not null and coalesce(s.is_public, r.visibility = 'public')
    order by a.key, "isByFirst" desc, array_position(names.own, lower(r.name)) nulls last`.execute(db);
  return new Map(rows.map(({ key, ...site }) => [key, site]));
}
