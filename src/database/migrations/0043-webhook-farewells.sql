-- A deleted webhook that listens for `meta` is told of its end. Its row stays until that was sent; until then nobody sees it, and it
-- hears of nothing else.
alter table webhooks add column deleted_at timestamptz;
create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;
