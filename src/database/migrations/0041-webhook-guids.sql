-- An event reaches a hook once, however often the job that tells it runs.
create unique index webhook_deliveries_first on webhook_deliveries (hook_id, guid) where not redelivery;
