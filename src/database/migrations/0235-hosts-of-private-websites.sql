-- A website that not everybody may see has a host for itself, so that no script of another website shares its origin. Nobody guesses the
-- label of that host, and no login has two hyphens in a row.
alter table pages_sites add column private_label text not null default 'private--' || replace(gen_random_uuid()::text, '-', '');
create unique index pages_sites_private_label on pages_sites (private_label);
