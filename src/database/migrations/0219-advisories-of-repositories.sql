-- Advisories that repositories of this server published are among those that the server knows. `is_own` stays where the one that it came
-- from is gone.
alter table advisories
  add is_own boolean not null default false,
  add repository_advisory_id bigint references repository_advisories on delete set null;
create unique index advisories_repository_advisory on advisories (repository_advisory_id) where repository_advisory_id is not null;
create index advisories_published on advisories (published_at, id);
create index advisories_updated on advisories (updated_at, id);
create index advisories_cve on advisories (cve) where cve is not null;
