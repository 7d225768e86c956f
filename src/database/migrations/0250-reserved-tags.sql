-- The tag of an immutable release that was deleted can be deleted, and never made or moved again.
alter table fixed_refs add column may_be_deleted boolean not null default false;
